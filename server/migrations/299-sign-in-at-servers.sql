-- Owner: connections. Sign-ins of people at the authorization servers of MCP servers, and the client that the service is there.
create table connection_sign_in (
  id uuid primary key default gen_random_uuid(),
  ask_id uuid not null references connection_ask on delete cascade,
  user_id uuid not null,
  session_id uuid not null,               -- the answer counts in this session alone
  state_hash bytea not null unique,
  server_id uuid not null references asset on delete cascade,
  address text not null,
  resource text not null,                 -- RFC 8707
  issuer text not null,
  redirect_uri text not null,
  client_id text not null,
  sealed_verifier bytea not null,         -- of PKCE
  used_at timestamptz,
  expires_at timestamptz not null
);
create index connection_sign_in_of_ask on connection_sign_in (ask_id);
create index connection_sign_in_of_server on connection_sign_in (server_id);

-- Registered by the service itself (RFC 7591), once for each server and issuer.
create table connection_client (
  id uuid primary key default gen_random_uuid(),
  server_id uuid not null references asset on delete cascade,
  issuer text not null,
  redirect_uri text not null,
  client_id text not null,
  sealed bytea not null,                  -- its registration, with a secret where it has one
  made_at timestamptz not null default clock_now(),
  unique (server_id, issuer, redirect_uri)
);
