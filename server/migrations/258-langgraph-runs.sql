-- Owner: langgraph. Which calls are runs of langgraph's API on a thread. The call itself is in invocation, whose row comes with its sending.
create table langgraph_run (
  run_id uuid primary key,
  thread_id uuid not null references thread on delete cascade,
  multitask_strategy text not null,
  metadata bytea not null,                -- sealed: what the client keeps with it
  created_at timestamptz not null default clock_now()
);
create index langgraph_run_of_thread on langgraph_run (thread_id, created_at desc);
