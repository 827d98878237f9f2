-- Owner: traces. Figures of calls to agents, and the recent runs without their content. The ingress writes both in batches.

create table call_figure (
  agent_id uuid not null,
  minute timestamptz not null,                       -- of the end of the calls
  calls integer not null,
  errors integer not null,
  latency integer[] not null,                        -- the calls in each bucket of traces/latency.ts
  primary key (agent_id, minute)
);
create index on call_figure (minute);

create table agent_run (
  id uuid primary key,
  agent_id uuid not null,
  revision_id uuid,
  caller_id uuid,
  trace_id text not null,
  name text not null,
  started_at timestamptz not null,
  duration_ms double precision not null,
  error text                                         -- null for a run without an error
);
create index on agent_run (agent_id, started_at, id);
create index on agent_run (started_at);
