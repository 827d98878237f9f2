-- Owner: runs. The journal of work that survives a crash: what was asked for, which steps are done, what happened.
-- Not governed: what a run changes is governed where it changes it.

create table run (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  mutex text not null,
  state text not null default 'queued'
    check (state in ('queued', 'running', 'cancelling', 'done', 'failed', 'cancelled', 'needs_attention')),
  input jsonb not null,
  actor_id uuid not null,
  actor_name text not null,
  -- Who executes it, until when, and for the how-manieth time it was claimed: every write of an executor names its fence.
  owner text,
  fence bigint not null default 0,
  lease_until timestamptz,
  cancel_requested_at timestamptz,
  settled_at timestamptz,        -- from here on it is neither cancelled nor undone
  ending jsonb,                  -- why it is being undone; whoever resumes it carries on undoing
  result jsonb,
  problem jsonb,
  last_seq bigint not null default 0,
  log_bytes bigint not null default 0,
  created_at timestamptz not null default clock_now(),
  started_at timestamptz,
  ended_at timestamptz
);
create unique index run_one_at_a_time on run (kind, mutex) where state in ('queued', 'running', 'cancelling');
create index run_waiting on run (created_at) where state in ('queued', 'running', 'cancelling');

create table run_step (
  run_id uuid not null references run on delete cascade,
  n integer not null,
  name text not null,
  state text not null check (state in ('pending', 'running', 'done', 'failed', 'undone')),
  attempt integer not null default 1,
  output jsonb,
  problem jsonb,
  started_at timestamptz not null default clock_now(),
  ended_at timestamptz,
  primary key (run_id, name)
);

create table run_event (
  run_id uuid not null references run on delete cascade,
  seq bigint not null,
  at timestamptz not null default clock_now(),
  kind text not null check (kind in ('step', 'log', 'notice', 'end')),
  step text,
  state text,
  message text not null,
  data jsonb not null,
  primary key (run_id, seq)
);
