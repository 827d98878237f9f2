-- Owner: delegated-calls. What a run has read of tools, with all runs below it.
create table run_exposure (
  root_run_id uuid primary key,
  private_data boolean not null,
  outside_text boolean not null,    -- text that others wrote
  at timestamptz not null default clock_now()
);
create index run_exposure_by_age on run_exposure (at);
-- Owner: principals. When calls of tools that send something out wait for a person.
alter table org add column approve_outgoing_after text not null default 'never'
  check (approve_outgoing_after in ('never', 'private_data', 'outside_text', 'both'));
