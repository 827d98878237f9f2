-- Owner: knowledge. What knowledge bases hold, and which part of it is searched. A row of `knowledge_serving` says what agents find, so it is governed. All other rows are
-- facts of one refresh: nothing finds them until a snapshot serves.
create table knowledge_blob (              -- source bytes and read texts; a base has its own, so that an erasure is whole
  base_id uuid not null references asset on delete cascade,
  sha256 text not null,
  bytes bytea not null,
  primary key (base_id, sha256)
);
create table knowledge_document (          -- never changed: other bytes, another path or other readers are another document
  id uuid primary key default gen_random_uuid(),
  base_id uuid not null references asset on delete cascade,
  path text not null,                      -- within its base; stable between refreshes
  title text not null,
  media_type text not null,
  mark text,                               -- as the source names this content: an ETag, or the id of a blob
  source_sha256 text not null,
  source_bytes int not null,
  text_sha256 text not null,
  text_bytes int not null,
  pages int,
  reader int not null,                     -- the version of the program that read it
  readers text[],                          -- user:<id>, team:<id>, group:<id>; null: everyone who may use the base
  made_at timestamptz not null default clock_now()
);
create unique index knowledge_document_content on knowledge_document
  (base_id, path, source_sha256, reader, title, readers) nulls not distinct;
create table knowledge_snapshot (
  id uuid primary key,                     -- that of the run that makes it
  base_id uuid not null references asset on delete cascade,
  number int,                              -- null until it is whole
  version text not null,                   -- of the base, whose config says where documents are
  config text not null,                    -- the digest of that content: a version that is not final can get another one
  digest text,
  added int,                               -- beside the snapshot that served before
  changed int,
  removed int,
  made_by text not null,
  made_at timestamptz not null default clock_now(),
  unique (base_id, number)
);
create table knowledge_snapshot_document (
  snapshot_id uuid not null references knowledge_snapshot on delete cascade,
  document_id uuid not null references knowledge_document on delete cascade,
  primary key (snapshot_id, document_id)
);
create index knowledge_document_snapshots on knowledge_snapshot_document (document_id);
create table knowledge_failure (           -- a file that could not be read is not in the snapshot, and named
  snapshot_id uuid not null references knowledge_snapshot on delete cascade,
  path text not null,
  problem text not null,
  primary key (snapshot_id, path)
);
create table knowledge_serving (
  id uuid primary key default gen_random_uuid(),
  base_id uuid not null unique references asset on delete cascade,
  snapshot_id uuid not null references knowledge_snapshot,
  since timestamptz not null default clock_now()
);
call audit.govern('knowledge_serving');
create table knowledge_chunk (
  id bigint generated always as identity primary key,
  index_id uuid not null references asset on delete cascade,  -- a RAG index, or the base itself
  settings text not null,                  -- the digest of what chunks depend on
  document_id uuid not null references knowledge_document on delete cascade,
  n int not null,
  starts int not null,                     -- bytes in the text of the document
  ends int not null,
  headings text[] not null,
  passage text not null,
  words tsvector not null,
  vector bytea,                            -- null: none was asked for, or none is made yet; empty: a guardrail has blocked the passage
  made_by text,                            -- of the vector: the entry of the catalogue, the vendor's model and the dimensions
  unique (index_id, settings, document_id, n)
);
create index knowledge_chunk_words on knowledge_chunk using gin (words);
create index knowledge_chunk_document on knowledge_chunk (document_id);
create table knowledge_index (             -- a RAG index that was built
  id uuid primary key default gen_random_uuid(),
  index_id uuid not null unique references asset on delete cascade,
  version text,                            -- whose settings are searched; null until the first build is done
  config text,                             -- the digest of its content
  key_id uuid,                             -- the gateway key that pays for vectors
  since timestamptz not null default clock_now()
);
call audit.govern('knowledge_index');
