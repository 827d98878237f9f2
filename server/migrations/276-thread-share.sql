-- Owner: memory. Who else may read one thread, and until when. A share ends with its thread.
create table thread_share (
  id uuid primary key default gen_random_uuid(),
  thread_id uuid not null references thread on delete cascade,
  principal_type text not null check (principal_type in ('user', 'team')),
  principal_id uuid not null,
  ends_at timestamptz not null,
  -- As exact as cursors of its lists.
  created_at timestamptz not null default date_trunc('milliseconds', clock_now()),
  unique (thread_id, principal_type, principal_id)
);
create index thread_share_with on thread_share (principal_id);
