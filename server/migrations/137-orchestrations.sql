-- Owner: deploy. A revision as its container describes it. JSON's null for an agent without an input schema.
create table revision_input (
  revision_id uuid primary key,
  input_schema jsonb not null,
  keeps_threads boolean not null
);
