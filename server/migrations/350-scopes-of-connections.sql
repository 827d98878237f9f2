-- Owner: connections. What a person was asked for at the authorization server of an MCP server, and what the server wants beside it.
alter table connection_sign_in add column scopes text[] not null default '{}';
alter table user_connection
  add column scopes text[] not null default '{}',         -- of the sign-in
  add column wanted_scopes text[] not null default '{}';  -- the next sign-in asks for them too
