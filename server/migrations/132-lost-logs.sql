-- Owner: deploy. The output of a container that cannot be read any more: the container was removed by hand, or each read has failed. The
-- last loss of each instance. Not governed: as kept_log.

create table lost_log (
  instance_id uuid primary key,
  id uuid not null default gen_random_uuid(),   -- of the notice in the log
  revision_id uuid not null references revision on delete cascade,
  agent_id uuid not null,
  n integer not null,
  place jsonb not null,                         -- of the container
  reason text not null,
  at timestamptz not null default clock_now()
);
create index on lost_log (agent_id);
create index on lost_log (revision_id);

-- The reads of its log that have failed before its removal.
alter table instance add log_failures integer not null default 0;

-- The output of a rebuilt image belongs to the revision alone.
alter table kept_log alter n drop not null;
