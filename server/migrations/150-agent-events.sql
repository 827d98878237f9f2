-- Owner: deploy. What the service did by itself with the containers of agents, and why they ended. Not governed: a crash loop has two rows for
-- each turn, and a flood of them must delay no governed change. The first alert of a crash loop is in the audit log.

create table agent_event (
  id bigint generated always as identity primary key,
  agent_id uuid not null references asset on delete cascade,
  target text not null,
  revision_id uuid,
  instance_id uuid,              -- null: not about one container
  n integer,                     -- of the instance
  at timestamptz not null default date_trunc('milliseconds', clock_now()),
  kind text not null,
  reason text,                   -- of an end or a failed start; a stable word
  detail text not null
);
create index on agent_event (agent_id, id);
create index on agent_event (instance_id, id) where kind = 'ended';

-- Agents whose containers end again and again. Their owners were told.
create table crash_loop (
  agent_id uuid not null references asset on delete cascade,
  target text not null,
  since timestamptz not null default clock_now(),
  primary key (agent_id, target)
);

-- Since when the image of the instance is built again; null: it is not.
alter table instance add column rebuilding_since timestamptz;
