-- Owner: knowledge. Files that people sent to a knowledge base. The next refresh reads them, so each row is governed: the log names who sent what.
create table knowledge_upload (
  id uuid primary key default gen_random_uuid(),
  base_id uuid not null references asset on delete cascade,
  path text not null,                      -- within its base
  sha256 text not null,                    -- of its bytes
  bytes int not null,
  uploaded_at timestamptz not null default clock_now(),
  unique (base_id, path),
  foreign key (base_id, sha256) references knowledge_blob
);
call audit.govern('knowledge_upload');
