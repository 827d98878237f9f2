-- Owner: deploy. What proves an instance that dials in: the token of its present start. Each start makes a new one, so there are never more
-- replicas than instances. Only the hash is stored. The first process that shows the token has it for itself.
create table join_token (
  instance_id uuid primary key references instance on delete cascade,
  hash text not null unique,
  process_hash text,             -- of the id that the joined process made for itself; null before the first join
  joined_at timestamptz,
  made_at timestamptz not null default clock_now()
);
