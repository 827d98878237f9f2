-- Owner: knowledge. The hook of a knowledge base: who has its secret may start a refresh with the rights of the owner, so its row is governed.
create table knowledge_hook (
  id uuid primary key default gen_random_uuid(), -- a part of its address
  base_id uuid not null unique references asset on delete cascade,
  secret bytea not null,                         -- sealed (envelope): a signature is made with it, so a digest would not do
  created_by text not null,
  created_at timestamptz not null default clock_now()
);
call audit.govern('knowledge_hook');
