-- Owner: secrets. A secret belongs to a team or to one agent. Its value is apart from it, because another store may keep the value.

create table secret (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  team_id uuid references team,
  agent_id uuid references asset,
  store text not null,           -- the key of a store in secrets/stores/index.ts
  created_by text not null,      -- by name; the secret outlives its maker
  created_at timestamptz not null default clock_now(),
  changed_by text not null,
  changed_at timestamptz not null default clock_now(),
  unique (team_id, name),
  unique (agent_id, name),
  check ((team_id is null) <> (agent_id is null))
);
call audit.govern('secret');

create table secret_value (
  id uuid primary key references secret,
  sealed bytea not null          -- bound to this row (envelope/envelope.ts)
);
call audit.govern('secret_value');

-- The secrets that each agent can name: its own, and those of its team that its own do not hide. Those of a team are only for content that
-- names this team in its agent.yaml, so they do not follow a transfer.
create view secret_in_reach as
  select s.agent_id, s.name, s.id as secret_id, null::text as team from secret s where s.agent_id is not null
  union all
  select a.id, s.name, s.id, t.name from secret s join team t on t.id = s.team_id join asset a on a.team_id = s.team_id and a.kind = 'agent'
  where not exists (select from secret own where own.agent_id = a.id and own.name = s.name);
