-- Owner: registry. The tools of MCP servers: what a server has listed, and the list that a person has pinned.
create table tool_list (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset on delete cascade,
  version text not null,                  -- of the server: another address has lists of its own
  digest text not null,
  tools text not null,                    -- canonical JSON, as the digest covers it
  seen_at timestamptz not null default clock_now(),
  unique (asset_id, version, digest)
);
create index tool_list_newest on tool_list (asset_id, version, seen_at desc);

-- What agents may call of one version of a server.
create table tool_pin (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset on delete cascade,
  version text not null,
  list_id uuid not null references tool_list on delete cascade,
  pinned_by text not null,                -- as others see them
  pinned_at timestamptz not null default clock_now(),
  unique (asset_id, version)
);
call audit.govern('tool_pin');
