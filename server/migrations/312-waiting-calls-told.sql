-- Owner: notifications. Who may decide about a call that waits is told of it. One about such calls has their server, and neither a request, an account nor runs.
alter table notification
  add column call_id uuid, -- the first of the calls; it can be gone
  drop constraint notification_check,
  drop constraint notification_check1,
  drop constraint notification_check2,
  add check (num_nonnulls(account, approval_id, notice_id, call_id) = 1),
  add check (approval_id is null or (asset_id is not null and asset is not null and version is not null and target is not null)),
  add check ((notice_id is null and call_id is null) or (asset_id is not null and asset is not null));
