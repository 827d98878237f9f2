-- Owner: approvals. What several admins said about one request, and what people wrote about it.

alter table approval
  -- access.approvals_required of the content; it never changes under its digest.
  add column approvals_asked integer not null default 1,
  -- How many were needed when it was approved; null while it waits: what the organisation asks for may change until then.
  add column approvals_required integer;

create table approval_vote (
  id uuid primary key default gen_random_uuid(),
  approval_id uuid not null references approval,
  user_id uuid not null references app_user,
  reason text not null,
  voted_at timestamptz not null default date_trunc('milliseconds', clock_now()),
  unique (approval_id, user_id) -- nobody counts twice
);

create table approval_comment (
  id uuid primary key default gen_random_uuid(),
  approval_id uuid not null references approval,
  author_id uuid not null, -- an identity of either kind
  message text not null,
  created_at timestamptz not null default date_trunc('milliseconds', clock_now())
);
create index on approval_comment (approval_id, created_at, id);
create index on approval (asset_id, submitted_at);

call audit.govern('approval_vote');
call audit.govern('approval_comment');
