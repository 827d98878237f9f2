-- Owner: deploy. Agents that need another instance for which their target has no memory left. Status shows it.
create table no_room (
  agent_id uuid not null references asset on delete cascade,
  target text not null,
  since timestamptz not null default clock_now(),
  detail text not null,
  primary key (agent_id, target)
);
