-- Owner: deploy. What may be kept in memory is kept under the head of the governance chain and this epoch (server/src/ground/copies/copies.ts).

-- Instances are not governed, and a call goes to the address of one.
create table instance_epoch (
  single boolean primary key default true check (single),
  epoch bigint not null
);
insert into instance_epoch values (true, 0);

create function raise_instance_epoch() returns trigger language plpgsql as $$
begin
  update instance_epoch set epoch = epoch + 1;
  return null;
end $$;
create trigger moved after insert or delete or update of url on instance for each statement execute function raise_instance_epoch();
create trigger emptied after truncate on instance for each statement execute function raise_instance_epoch();

-- A governed change moves the head of the governance chain: an entry in another chain is not enough. The horizon of a chain has its entry there.
create or replace function audit.require_entry() returns trigger
language plpgsql security definer set search_path = pg_catalog, audit, public, pg_temp as $$
declare
  target text := tg_table_name || ':' || case when tg_op = 'DELETE' then old.id else new.id end;
begin
  perform 1 from audit.entry
  where xid = pg_current_xact_id()
    and cluster = (select system_identifier from pg_control_system())
    and (chain = 'governance' or tg_table_name = 'horizon')
    and target = any (targets);
  if not found then
    raise exception 'governed change without audit entry: %', target;
  end if;
  return null;
end $$;
