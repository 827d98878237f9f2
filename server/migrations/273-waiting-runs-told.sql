-- Owner: memory. Who may answer a waiting run is told of it.
-- The last time that people were told of an agent's waiting runs, and what names the runs of that time. Not governed: the entry of the audit log is the notice.
create table waiting_notice (
  agent_id uuid primary key references asset on delete cascade,
  id uuid not null,
  told_at timestamptz not null
);
alter table thread
  add column notice_id uuid,
  add column told_since timestamptz;  -- its waiting_since then: each question has another one
-- An update tells nobody of old questions.
update thread set told_since = waiting_since where waiting_since is not null;
create index thread_to_tell on thread (waiting_since) where told_since is distinct from waiting_since;
create index thread_of_notice on thread (notice_id) where notice_id is not null;

-- Owner: principals.
alter table org add column waiting_runs_told_after_minutes integer default 5 check (waiting_runs_told_after_minutes between 0 and 10080);

-- Owner: notifications. One about waiting runs has an agent, and neither a request nor an account.
alter table notification
  add column notice_id uuid,
  drop constraint notification_check,
  drop constraint notification_check1,
  add check (num_nonnulls(account, approval_id, notice_id) = 1),
  add check (approval_id is null or (asset_id is not null and asset is not null and version is not null and target is not null)),
  add check (notice_id is null or (asset_id is not null and asset is not null));
