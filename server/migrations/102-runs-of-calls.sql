-- Owner: ledger. The call, the run and the trace of each attempt. Null in rows from before, and without a run token.
alter table ledger
  add column call_id uuid,                           -- the same for all attempts of a call
  add column run_id uuid,
  add column root_run_id uuid,                       -- the first run of a chain of calls
  add column caller_id uuid,                         -- the end caller of the run
  add column trace_id text;
create index on ledger (run_id) where run_id is not null;
create index on ledger (root_run_id) where root_run_id is not null;
