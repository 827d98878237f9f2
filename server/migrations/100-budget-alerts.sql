-- Owner: notifications. Alerts about budgets, and notifications that are about an account instead of a request.

-- The highest threshold of a limit that was told in a window. Not governed: the entry of the audit log is the alert.
create table budget_alert (
  account_id uuid not null,
  "window" text not null check ("window" in ('day', 'week', 'month')),
  start date not null,                               -- of the window
  limit_nano bigint not null,
  percent integer not null,
  primary key (account_id, "window")
);

alter table notification
  alter column approval_id drop not null,
  alter column asset_id drop not null,               -- null: the account is of no agent
  alter column asset drop not null,
  alter column version drop not null,
  alter column target drop not null,
  add column account text,                           -- such as team:ml; null: about a request
  add column team_id uuid,                           -- of the account; null: the organisation's
  add column is_own boolean not null default false,  -- the account is of the recipient in person
  add check ((account is null) = (approval_id is not null)),
  add check (account is not null or (asset_id is not null and asset is not null and version is not null and target is not null)),
  drop constraint notification_seq_user_id_approval_id_key,
  add unique nulls not distinct (seq, user_id, approval_id);
