-- Owner: registry. The names of deleted assets, with the team of each: callers of the name still trust that team. The team can be gone.
create table former_name (
  kind text not null,
  name text not null,
  team_id uuid not null,
  primary key (kind, name)
);
