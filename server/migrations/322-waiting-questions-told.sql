-- Owner: notifications. A person whom a server asks is told of it. One about such questions has their server, and neither a request, an account, runs nor calls.
alter table notification
  add column question_id uuid, -- the first of the questions; it can be gone
  drop constraint notification_check,
  drop constraint notification_check2,
  add check (num_nonnulls(account, approval_id, notice_id, call_id, question_id) = 1),
  add check ((notice_id is null and call_id is null and question_id is null) or (asset_id is not null and asset is not null));
