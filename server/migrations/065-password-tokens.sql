-- Owner: login. Ways to a password for somebody who has none: what an invitation and a reset mail to them. Governed, for each is a right
-- to an account. The token itself stands nowhere: it is made of the id, under a key derived from SECRET_KEY, when the mail is written.

create table password_token (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  kind text not null check (kind in ('invitation', 'reset')),
  made_by text not null,         -- whom the mail names
  created_at timestamptz not null default date_trunc('milliseconds', clock_now()),
  expires_at timestamptz not null,
  used_at timestamptz,
  ended_at timestamptz,          -- used, replaced, or the account was disabled or removed
  check (used_at is null or ended_at is not null)
);
-- Another one ends the one before.
create unique index password_token_open on password_token (user_id) where ended_at is null;
create index on password_token (user_id, created_at);

call audit.govern('password_token');
