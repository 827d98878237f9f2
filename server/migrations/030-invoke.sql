-- Owner: invoke. Calls that outlived the sync budget: their results wait here for the caller, also across restarts.

create table invocation (
  id uuid primary key,
  agent_id uuid not null,
  revision_id uuid not null,
  caller_id uuid not null,
  state text not null check (state in ('running', 'ended')),
  -- What the agent answered, as it came; null while it runs.
  status integer,
  content_type text,
  body bytea,
  created_at timestamptz not null default clock_now(),
  ended_at timestamptz
);
create index on invocation (state) where state = 'running';
create index on invocation (ended_at);
