-- Owner: traces. What the caller of a run thinks of its answer. It is read with the contents of the trace, and ends with them.
create table run_feedback (
  run_id uuid primary key,
  agent_id uuid not null references asset on delete cascade,
  caller_id uuid not null,
  is_good boolean not null,
  reason text not null,                   -- in the words of the caller; empty without one
  given_at timestamptz not null default clock_now()
);
create index run_feedback_of_caller on run_feedback (caller_id);
