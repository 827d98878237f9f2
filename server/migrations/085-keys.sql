-- Owner: keys. Gateway keys. A key in itself is nowhere: its keyed digest finds it, and its first 12 characters show it.

create table gateway_key (
  id uuid primary key default gen_random_uuid(),     -- also the id of its account
  alias text not null,
  scope text not null check (scope in ('org', 'team', 'user', 'agent', 'principal')),
  scope_id uuid not null,                            -- of the organisation, team, user, agent or service principal
  team_id uuid references team,                      -- null: the organisation's
  digest bytea not null unique,
  prefix text not null check (length(prefix) = 12),
  models text[] not null,                            -- globs over names of models
  tags text[] not null,
  created_by uuid not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  check ((team_id is null) = (scope = 'org'))
);
create index on gateway_key (scope_id);
create index on gateway_key (team_id);
call audit.govern('gateway_key');
