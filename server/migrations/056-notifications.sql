-- Owner: notifications. Who is to be told what, and the mail that goes with it. Not governed: rows say again what the audit log says, to
-- those whom it concerns, and follow it by the number of the entry.

create table notification (
  id uuid primary key default gen_random_uuid(),
  seq bigint not null,           -- of the entry in the governance chain
  user_id uuid not null references app_user on delete cascade,
  kind text not null,
  -- No foreign keys: what was told stays told when the asset is removed.
  approval_id uuid not null,
  asset_id uuid not null,
  asset text not null,
  version text not null,
  target text not null,
  actor text not null,
  words text not null,           -- the message of a request, the reason of a decision
  created_at timestamptz not null default clock_now(),
  read_at timestamptz,
  unique (seq, user_id, approval_id) -- an entry that is read twice tells nobody twice
);
create index on notification (user_id, seq, id);
create index notification_unread on notification (user_id) where read_at is null;

-- Up to which entry everybody was told. An installation that gets this table tells nothing of what happened before.
create table notification_cursor (
  single boolean primary key default true check (single),
  seq bigint not null
);
insert into notification_cursor (seq) select seq from audit.head where chain = 'governance';

create table mail (
  notification_id uuid primary key references notification on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default clock_now(),
  -- Who sends it and until when: what an attempt writes names its claim, so that one that lost the mail changes nothing.
  claim uuid,
  lease_until timestamptz,
  problem text,
  created_at timestamptz not null default clock_now(),
  ended_at timestamptz,
  check ((state = 'queued') = (ended_at is null))
);
create index mail_due on mail (next_attempt_at) where state = 'queued';
