-- Owner: tools. The containers of hosted MCP servers. The row is there before its container, and goes after it. So a container without a row is a
-- leftover, and so is that of a row whose lease has ended.
create table side_container (
  id uuid primary key,
  server_id uuid not null,                -- no reference: a container outlives the delete of its server until somebody ends it
  server_version text not null,
  owner text not null,                    -- the process that speaks with it
  lease_until timestamptz not null,
  started_at timestamptz not null default clock_now()
);
create index side_container_by_server on side_container (server_id, server_version);
