-- Owner: approvals. Requests for the approval of exactly one digest and target, and the decisions on them.

create table approval (
  id uuid primary key default gen_random_uuid(),
  -- No foreign keys to asset and version: a decision stays on the record when the asset is removed.
  asset_id uuid not null,
  version_id uuid not null,
  version text not null,
  digest text not null,
  target text not null,
  message text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  closed_reason text check (closed_reason in ('rejected', 'withdrawn', 'superseded', 'expired', 'revoked')),
  reason text,
  submitted_by uuid not null references app_user,
  submitted_at timestamptz not null default date_trunc('milliseconds', clock_now()), -- what a page ends at must come back exactly
  decided_by uuid references app_user,
  decided_at timestamptz,
  check ((status = 'rejected') = (closed_reason is not null)),
  check ((status = 'pending') = (decided_at is null))
);
-- A new request supersedes the pending one; two that arrive together cannot both stay.
create unique index one_pending_request on approval (asset_id) where status = 'pending';
create index on approval (version_id, digest, target) where status = 'approved';
create index on approval (submitted_at, id);

call audit.govern('approval');
