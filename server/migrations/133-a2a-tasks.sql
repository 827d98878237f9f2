-- Owner: invoke.
-- A task of the Agent2Agent protocol is a view of its latest call. A message that continues a task adds a call, with the next turn.
alter table invocation
  add column task_id uuid,
  add column turn integer,
  add column context_id text,
  -- How a task's call ended; null before its end, and for other calls.
  add column outcome text check (outcome in ('completed', 'interrupted', 'cancelled', 'rejected', 'failed')),
  add constraint invocation_task check (
    (task_id is null and turn is null and context_id is null and outcome is null)
    or (task_id is not null and turn is not null and context_id is not null and (outcome is not null) = (state = 'ended')));
-- Two messages cannot continue a task at once.
create unique index on invocation (task_id, turn);
create index on invocation (caller_id, agent_id) where task_id is not null;
