-- Owner: login. Sessions, failed attempts, and the wrapped key that passwords are hashed under.

create table session (
  id uuid primary key,          -- the token's jti
  user_id uuid not null references app_user on delete cascade,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index on session (user_id);

-- Failures per key (an address, or an account seen from an address) in a window; the window ends by itself, so nobody is locked out for good.
create table login_failure (
  key text primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);

-- The HMAC key of passwords, encrypted under SECRET_KEY, so that SECRET_KEY can be changed without resetting every password.
create table login_secret (
  single boolean primary key default true check (single),
  wrapped_key bytea not null
);
