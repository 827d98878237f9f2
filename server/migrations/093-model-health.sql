-- Owner: gateway. The health of upstreams, as a process of the gateway saw it last. Each process decides by its own view; this is for people.

create table model_health (
  model_id uuid not null references asset on delete cascade,
  address text not null,
  failures integer not null check (failures >= 0),   -- in a row
  paused_until timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_problem text,
  seen_by text not null,                             -- the process
  seen_at timestamptz not null default clock_now(),
  primary key (model_id, address)
);
