-- Owner: deploy. A revision on its target. This row and those of its instances are written before the target is asked for anything, so an undo and
-- a sweep read here what may exist there. In a deploy it comes before the revision, which step 7 writes. Not governed: it says what is outside.
create table placement (
  revision_id uuid primary key,
  agent_id uuid not null,
  agent text not null,           -- part of the names of its instances
  target text not null,
  placed_at timestamptz not null default clock_now()
);
create index on placement (agent_id);
insert into placement (revision_id, agent_id, agent, target)
  select v.id, v.agent_id, a.name, v.target from revision v join asset a on a.id = v.agent_id;

do $$
declare name text;
begin
  for name in select conname from pg_constraint
    where conrelid = 'instance'::regclass and confrelid = 'revision'::regclass and contype = 'f'
  loop
    execute format('alter table instance drop constraint %I', name);
  end loop;
end $$;
alter table instance add foreign key (revision_id) references placement on delete cascade;
