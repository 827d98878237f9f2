-- Owner: connections. The credentials of people at MCP servers, and the agents that use them. Entries of the audit log tell who has connected, allowed
-- and ended what, so the rows are not governed.
create table user_connection (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  server_id uuid not null references asset on delete cascade,
  address text not null,                  -- the credential goes nowhere else
  issuer text,                            -- null: an API key
  resource text,                          -- as the issuer knows the server (RFC 8707)
  client_id text,                         -- at the issuer
  sealed bytea not null,                  -- the tokens, or the key
  expires_at timestamptz,                 -- of the access token
  is_refreshed boolean not null,          -- a refresh token is there
  refresh_until timestamptz,              -- one process gets new tokens until then
  is_ended boolean not null default false,  -- the other side accepts it no more
  connected_at timestamptz not null default clock_now(),
  last_used_at timestamptz,
  unique (user_id, server_id)
);
create index user_connection_of_server on user_connection (server_id);

create table connection_consent (
  connection_id uuid not null references user_connection on delete cascade,
  asset_id uuid not null references asset on delete cascade,
  calls boolean not null,                 -- it calls the server itself; false: an agent that it calls does
  writes text[] not null,                 -- the tools that may write, as the person has read them
  allowed_at timestamptz not null default clock_now(),
  primary key (connection_id, asset_id)
);
create index connection_consent_of_asset on connection_consent (asset_id);

-- What waits for the person: a connection, a consent, or both. The person decides about exactly this row.
create table connection_ask (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  server_id uuid not null references asset on delete cascade,
  server_version text not null,
  agent_id uuid references asset on delete cascade,  -- null: the person wants to connect
  through_ids uuid[] not null,            -- the assets between the person and the call, the calling one first
  through text[] not null,                -- their references
  writes text[] not null,
  about text not null,                    -- a digest of the above: the same ask is one row
  state text not null default 'waiting' check (state in ('waiting', 'allowed', 'refused', 'done')),
  asked_at timestamptz not null default clock_now(),
  expires_at timestamptz not null
);
create unique index connection_ask_open on connection_ask (user_id, about) where state in ('waiting', 'refused');
create index connection_ask_of_user on connection_ask (user_id) where state = 'waiting';
create index connection_ask_of_server on connection_ask (server_id);
create index connection_ask_of_agent on connection_ask (agent_id);
