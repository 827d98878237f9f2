-- Owner: runs. A run can wait for a person. Nobody executes it meanwhile, and its answer wakes it.
alter table run drop constraint run_state_check;
alter table run add constraint run_state_check
  check (state in ('queued', 'running', 'waiting', 'cancelling', 'done', 'failed', 'cancelled', 'needs_attention'));
alter table run
  add column waiting_since timestamptz,
  add column waited_ms double precision not null default 0,  -- no time limit of the run counts it
  add column is_woken boolean not null default false;        -- since it was claimed; so a wake before the wait is not lost
alter table run_step drop constraint run_step_state_check;
alter table run_step add constraint run_step_state_check
  check (state in ('pending', 'running', 'waiting', 'done', 'failed', 'undone'));
