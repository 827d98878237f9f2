-- Owner: memory. A run of an orchestration whose member waits for a person, and the answer. The run makes the call with the answer itself.
create table thread_wait (
  run_id uuid not null references run on delete cascade,
  path text not null,                     -- of the member's step
  n integer not null,                     -- a member can ask more than once
  thread_id uuid not null references thread on delete cascade,
  checkpoint_id text not null,            -- the state that asks
  value bytea,                            -- sealed: the answer; null: nobody has answered
  primary key (run_id, path, n)
);
create index thread_wait_of_thread on thread_wait (thread_id);
