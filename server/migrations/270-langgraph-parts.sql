-- Owner: langgraph. The parts of a stream that its reader may resume, in the order of their ids. They go with the stored answer of the call.
create table langgraph_part (
  run_id uuid not null references invocation on delete cascade,
  first_id integer not null,
  last_id integer not null,
  parts bytea not null,                   -- sealed: each as the SDK reads it
  is_last boolean not null,               -- the stream ends with them
  primary key (run_id, first_id)
);
alter table langgraph_run add column keeps_parts boolean not null default false;
