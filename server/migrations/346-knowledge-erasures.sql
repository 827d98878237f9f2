-- Owner: knowledge. Content that was erased, by digests alone: a refresh does not bring it back. Its rows decide what a base may hold, so they are governed.
create table knowledge_erasure (
  id uuid primary key default gen_random_uuid(),
  base_id uuid not null references asset on delete cascade,
  path_sha256 text not null,
  source_sha256 text not null,
  erased_at timestamptz not null default clock_now(),
  unique (base_id, path_sha256, source_sha256)
);
call audit.govern('knowledge_erasure');
