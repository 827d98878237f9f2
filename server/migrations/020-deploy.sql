-- Owner: deploy. What was deployed, what answers now, and the containers behind it.

-- One row for each deploy that was asked for; its run has the steps. Not governed: deploy.started says on the record who asked.
create table deployment (
  run_id uuid primary key references run,
  agent_id uuid not null,
  agent text not null,
  version_id uuid not null,
  version text not null,
  digest text not null,
  target text not null,
  approval_id uuid,
  cancelled_by text,
  created_at timestamptz not null default date_trunc('milliseconds', clock_now()) -- what a page ends at must come back exactly
);
create index on deployment (created_at, run_id);
create index on deployment (agent_id, created_at);

-- A version as it was registered on a target. Its id is the id of the run that made it: one run makes one revision.
create table revision (
  id uuid primary key,
  agent_id uuid not null,
  version_id uuid not null,
  version text not null,
  digest text not null,
  target text not null,
  image text not null,           -- sha256 of the image: what containers are started from, so that no tag can be moved under them
  approval_id uuid,              -- null when an admin deployed without one
  deployed_by uuid not null,
  deployed_by_name text not null,
  created_at timestamptz not null default clock_now()
);
create index on revision (agent_id);

-- Which revision answers for an agent on a target, and whether it is meant to run. Traffic moves by this row.
create table route (
  id uuid primary key default gen_random_uuid(),
  agent_id uuid not null,
  target text not null,
  revision_id uuid not null references revision,
  desired text not null check (desired in ('running', 'stopped')),
  unique (agent_id, target)
);

call audit.govern('revision');
call audit.govern('route');

-- The container behind a revision, as it was seen last. Not governed: it follows the route.
create table instance (
  revision_id uuid primary key references revision on delete cascade,
  place jsonb not null,
  url text,                      -- null while it is being started anew
  restarts integer not null default 0,
  failures integer not null default 0,   -- in a row; decides how long the next start waits
  next_start_at timestamptz,
  last_exit text,
  started_at timestamptz not null default clock_now(),
  draining_since timestamptz     -- another revision answers now; this one finishes its calls
);
