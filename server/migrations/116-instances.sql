-- Owner: deploy. An instance has an id of its own, so a revision can have several. Its target is a column, because its place belongs to the target.

alter table instance
  add column id uuid not null default gen_random_uuid(),
  add column n integer not null default 1,       -- counts the instances of a revision; part of the instance's name
  add column target text,
  add column egress jsonb,                       -- the outside destinations of its place; null: not limited
  alter column place drop not null;              -- null: no container yet
-- The containers of these have no label with an id, and count as the first instance of their revision.
update instance set id = revision_id, target = place ->> 'target', place = place - 'target', egress = place -> 'egress';
alter table instance alter column target set not null;
alter table instance drop constraint instance_pkey;
alter table instance add primary key (id);
create unique index on instance (revision_id, n);
-- A draining instance takes no new calls.
create trigger drained after update of draining_since on instance for each statement execute function raise_instance_epoch();

-- Only one route of an agent answers at its address. Until now, an agent had one route.
alter table route add column is_default boolean not null default true;
alter table route alter column is_default set default false;
create unique index route_default on route (agent_id) where is_default;

-- A call is asked for at its instance: the other instances of the revision do not know it.
alter table invocation add column instance_id uuid;
update invocation set instance_id = revision_id;
