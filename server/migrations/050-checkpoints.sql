-- Owner: proof. Signed checkpoints of the log's chains, and how far each chain may be pruned.

-- A signed note for each checkpoint, as proof/sign.ts makes it; the signature and the files outside are what holds it, not this table.
create table audit.checkpoint (
  chain text not null,
  size bigint not null,
  note text not null,
  peaks text[] not null, -- of the tree with `size` leaves: what the next checkpoint goes on from; they fold to the signed root
  primary key (chain, size)
);
create trigger append_only before update or delete on audit.checkpoint for each row execute function audit.refuse_rewrite();
create trigger no_truncate before truncate on audit.checkpoint for each statement execute function audit.refuse_rewrite();
alter table audit.checkpoint enable always trigger append_only;
alter table audit.checkpoint enable always trigger no_truncate;

-- The only writer for the service. Servers that sign at the same moment do it one after the other, and the later one is told that it is late.
create function audit.add_checkpoint(in_chain text, in_size bigint, in_note text, in_peaks text[], after_size bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, audit, public, pg_temp as $$
begin
  lock table audit.checkpoint in share row exclusive mode;
  if in_size <= after_size
     or after_size <> coalesce((select max(size) from audit.checkpoint where chain = in_chain), 0)
     or in_size > (select seq from audit.head where chain = in_chain) then
    return false;
  end if;
  insert into audit.checkpoint values (in_chain, in_size, in_note, in_peaks);
  return true;
end $$;

-- Entries up to `up_to` were pruned; the id is the chain. A governed table: it moves only together with the entry that says so, and only
-- to where a checkpoint stands.
create table audit.horizon (id text primary key, up_to bigint not null);
create function audit.guard_horizon() returns trigger
language plpgsql set search_path = pg_catalog, audit, public, pg_temp as $$
begin
  if tg_op = 'DELETE' then raise exception 'what was pruned stays pruned'; end if;
  if tg_op = 'UPDATE' and (new.id <> old.id or new.up_to <= old.up_to) then raise exception 'what was pruned stays pruned'; end if;
  if not exists (select from audit.checkpoint where chain = new.id and size = new.up_to) then
    raise exception 'the log is pruned up to a checkpoint alone';
  end if;
  return new;
end $$;
create trigger guard before insert or update or delete on audit.horizon for each row execute function audit.guard_horizon();
create constraint trigger governed after insert or update or delete on audit.horizon
  deferrable initially deferred for each row execute function audit.require_entry();
create trigger no_truncate before truncate on audit.horizon for each statement execute function audit.refuse_truncate();
alter table audit.horizon enable always trigger guard;
alter table audit.horizon enable always trigger governed;
alter table audit.horizon enable always trigger no_truncate;

-- Entries can be deleted behind the horizon, and nowhere else.
create or replace function audit.refuse_rewrite() returns trigger
language plpgsql set search_path = pg_catalog, audit, public, pg_temp as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'entry' then
    if old.seq <= (select up_to from audit.horizon where id = old.chain) then return old; end if;
  end if;
  raise exception 'the audit log cannot be changed';
end $$;

-- The few entries that say where a chain begins, where it was restored, and that the service lived.
create index on audit.entry (chain, seq)
  where event in ('governance.pruned', 'governance.resealed', 'signin.pruned', 'signin.resealed', 'audit.heartbeat');
