-- Owner: registry. What a hosted MCP server runs: the lock of its package, and the image that was built from it. A lock never changes: another
-- base image gives another row.
create table hosted_image (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset on delete cascade,
  version text not null,                  -- of the server
  digest text not null,                   -- of the image
  base_image text not null,               -- the pin of the base image
  python text not null,
  lock text not null,                     -- the Python packages, with versions and hashes
  npm_lock text,                          -- package-lock.json; null: the package is of PyPI
  components jsonb not null,              -- what is in the image: [{"name", "version"}]
  made_at timestamptz not null default clock_now(),
  unique (asset_id, version, digest)
);

-- The image that gave the list; null: the server has an address. The digest of such a list covers the image too.
alter table tool_list add column image_id uuid references hosted_image;
