-- Owner: registry. Assets, their versions, and the content that versions point at.

create table asset (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('agent', 'prompt', 'tool', 'memory-config', 'rag-index', 'knowledge-base', 'model', 'mcp-server')),
  name text not null,
  team_id uuid not null references team,
  owner_id uuid not null references app_user,
  description text not null default '',
  tags text[] not null default '{}',
  framework text,
  visibility text not null check (visibility in ('private', 'team', 'org')),
  published boolean not null default false,
  search tsvector not null, -- of the words that registry/words.ts makes of name, description, tags, team and framework
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  unique (kind, name)
);
create index on asset using gin (search);
create index on asset (team_id);

-- The bytes of files, once each, whoever pushed them.
create table blob (
  sha256 text primary key,
  bytes bytea not null,
  -- Last time a push brought it: a push under way refers to it before any content does.
  staged_at timestamptz not null default clock_now(),
  kept boolean not null default false -- some content has it; content stays, and so does this
);
create index on blob (staged_at) where not kept;
alter table blob alter column bytes set storage external; -- most of it comes compressed or is small; a read needs no unpacking

-- Everything that an approval covers and a build needs, under one digest. Not governed: a row says nothing by itself, and it can
-- never change. What points at it (version) is governed.
create table content (
  digest text primary key,
  config jsonb not null,
  manifest jsonb not null,           -- path → {sha256, size}
  source text not null,              -- sha256 of config and manifest: what the author pushed, without what was resolved
  lock text not null,
  dependencies jsonb not null,       -- {packages, built_from_source}: what the resolver said about the lock
  base_image text not null,
  python text not null,
  pins jsonb not null,               -- resolved references: [{ref, asset_id, version, digest}]
  created_at timestamptz not null default clock_now()
);

create function refuse_content_change() returns trigger language plpgsql as $$
begin
  raise exception 'content never changes under its digest';
end $$;
create trigger immutable before update on content for each row execute function refuse_content_change();
alter table content enable always trigger immutable;

create table version (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset,
  version text not null,
  digest text not null references content,
  state text not null check (state in ('draft', 'final')),
  message text not null default '',
  pushed_by uuid not null references app_user,
  authors uuid[] not null,           -- everybody who ever pushed under this version: none of them decides about it
  pushed_at timestamptz not null default clock_now(),
  unique (asset_id, version)
);
create index on version (digest);

alter table asset add column serving_version_id uuid references version;

-- Locks by the hash of all that went into them, so that a change of code alone resolves nothing anew.
create table dependency_lock (
  inputs text primary key,
  lock text not null,
  python text not null,
  dependencies jsonb not null,
  created_at timestamptz not null default clock_now()
);

call audit.govern('asset');
call audit.govern('version');
