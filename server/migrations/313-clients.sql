-- Owner: login. Programs of others that act for a person (OAuth 2.1). Entries of the audit log tell who has allowed and ended what, so the rows are not
-- governed. Codes and refresh tokens are stored as digests.

-- Registered by anybody (RFC 7591). A client whose id is the address of its document is not here.
create table oauth_client (
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  registered_from text not null,          -- the network of the sender, for the limit
  registered_at timestamptz not null default clock_now(),
  is_allowed boolean not null default false  -- a person has allowed it; others are forgotten soon
);
create index oauth_client_unused on oauth_client (registered_at) where not is_allowed;

-- What a person has allowed one client at one address.
create table client_grant (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  resource text not null,                 -- RFC 8707: its tokens count nowhere else
  scopes text[] not null,
  allowed_at timestamptz not null default clock_now(),
  last_used_at timestamptz,
  expires_at timestamptz not null         -- each refresh moves it on
);
create index client_grant_of_user on client_grant (user_id);
create index client_grant_of_client on client_grant (client_id);
create index client_grant_end on client_grant (expires_at);

-- The request with which a client has opened the browser. It counts for this person in this session.
create table client_ask (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  session_id uuid not null,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  state text,
  resource text not null,
  scopes text[] not null,
  code_challenge text not null,           -- PKCE with S256
  expires_at timestamptz not null
);
create index client_ask_of_user on client_ask (user_id);

create table client_code (
  digest bytea primary key,
  grant_id uuid not null references client_grant on delete cascade,
  code_challenge text not null,
  used_at timestamptz,
  expires_at timestamptz not null
);
create index client_code_of_grant on client_code (grant_id);

-- Used ones stay until the grant ends: a second use ends it.
create table client_refresh_token (
  digest bytea primary key,
  grant_id uuid not null references client_grant on delete cascade,
  used_at timestamptz
);
create index client_refresh_token_of_grant on client_refresh_token (grant_id);

-- An access token is a session of its grant, and ends with it.
alter table session add column grant_id uuid references client_grant on delete cascade;
create index on session (grant_id) where grant_id is not null;
