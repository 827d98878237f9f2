-- Owner: deploy. Which process at the door has connections of which instance, where the roles run in several processes. A killed process leaves its
-- rows: what was not seen for ten seconds does not count.
create table door_process (
  id text primary key,           -- the name of the process in the records of work
  address text not null,         -- host:port at which the others reach its door
  opened_at timestamptz not null default clock_now(),
  seen_at timestamptz not null default clock_now()
);

create table dialled (
  instance_id uuid not null references instance on delete cascade,
  door_process text not null references door_process on delete cascade,
  process_hash text not null,    -- of the instance's own process
  seen_at timestamptz not null default clock_now(),
  primary key (instance_id, door_process)
);
create index on dialled (door_process);
