-- Owner: deploy. The output of removed containers, for the last revisions of an agent. In the database, because several services share only
-- the database. Not governed: it is output, as what the engine keeps of a container.

create table kept_log (
  instance_id uuid primary key,
  revision_id uuid not null references revision on delete cascade,
  agent_id uuid not null,
  n integer not null,
  last_at text not null,              -- instants of the engine, with nanoseconds
  cut_bytes bigint not null           -- of its oldest lines, which are gone
);
create index on kept_log (agent_id);
create index on kept_log (revision_id);

-- In parts, so that neither a reader nor a cut needs all of it.
create table kept_log_part (
  instance_id uuid not null references kept_log on delete cascade,
  part integer not null,
  first_at text not null,
  last_at text not null,
  lines integer not null,
  bytes integer not null,             -- before compression
  content bytea not null,             -- gzip of one JSON object per line
  primary key (instance_id, part)
);
