-- Owner: audit. The one clock, the append-only hash-chained log, and the trigger that keeps governed tables honest.

-- Every time that a statement writes or compares comes from here; a test replaces this function to move the clock.
create function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp()';

create schema audit;

create table audit.head (
  chain text primary key,
  seq bigint not null,
  hash bytea not null
) with (fillfactor = 50); -- updated for every entry: room for HOT updates on the page

create table audit.entry (
  chain text not null,
  seq bigint not null,
  occurred_at text collate "C" not null, -- the exact text is hashed; UTC with microseconds, so it also sorts
  body text not null,                    -- canonical JSON; text, because jsonb would reorder what is hashed
  prev bytea not null,
  hash bytea not null,
  -- Which transaction, of which cluster: a restored database must not mistake an old number for a new transaction.
  cluster bigint not null,
  xid xid8 not null,
  targets text[] not null,               -- the rows that this entry answers for, as table:id
  event text not null generated always as (body::jsonb ->> 'event') stored,
  outcome text not null generated always as (body::jsonb ->> 'outcome') stored,
  actor text not null generated always as (body::jsonb #>> '{actor,name}') stored,
  team text generated always as (body::jsonb ->> 'team') stored,
  asset text generated always as (body::jsonb ->> 'asset') stored,
  primary key (chain, seq)
);
create index on audit.entry (xid);
create index on audit.entry (occurred_at);
create index on audit.entry (asset, occurred_at);
create index on audit.entry using gin (targets);

insert into audit.head
select chain, 0, sha256(convert_to(chain, 'UTF8')) from unnest(array['signin', 'governance']) as chain;

-- What is hashed: 0x00 (a leaf, as in RFC 6962), the hash before, then each part behind its length, so that no two
-- different entries can have the same bytes. server/src/governance/audit/hash.ts computes the same without this function.
create function audit.entry_hash(chain text, seq bigint, occurred_at text, body text, prev bytea) returns bytea
language sql immutable as $$
  select sha256('\x00'::bytea || prev || string_agg(int4send(octet_length(part)) || part, ''::bytea order by n))
  from unnest(array[convert_to(chain, 'UTF8'), int8send(seq), convert_to(occurred_at, 'UTF8'), convert_to(body, 'UTF8')])
    with ordinality as parts (part, n)
$$;

-- The only writer. The head row is locked until commit, which makes the order of seq the order of commit and leaves no gap;
-- an advisory lock would let the chain fork under repeatable read. Must be the last statement of its transaction.
create function audit.append(in_chain text, in_body text, in_targets text[])
returns table (seq bigint, occurred_at text, hash bytea)
language plpgsql security definer set search_path = audit, public, pg_catalog as $$
declare
  before audit.head%rowtype;
  at text := to_char(clock_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
  made bytea;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the audit log is written under read committed only';
  end if;
  select * into strict before from audit.head as h where h.chain = in_chain for update;
  made := audit.entry_hash(in_chain, before.seq + 1, at, in_body, before.hash);
  insert into audit.entry (chain, seq, occurred_at, body, prev, hash, cluster, xid, targets)
  values (in_chain, before.seq + 1, at, in_body, before.hash, made,
          (select system_identifier from pg_control_system()), pg_current_xact_id(), in_targets);
  update audit.head as h set seq = before.seq + 1, hash = made where h.chain = in_chain;
  return query select before.seq + 1, at, made;
end $$;

create function audit.refuse_rewrite() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log cannot be changed';
end $$;
create trigger append_only before update or delete on audit.entry for each row execute function audit.refuse_rewrite();
create trigger no_truncate before truncate on audit.entry for each statement execute function audit.refuse_rewrite();
create trigger no_truncate before truncate on audit.head for each statement execute function audit.refuse_rewrite();
create trigger no_delete before delete on audit.head for each row execute function audit.refuse_rewrite();
-- A plain trigger is skipped under session_replication_role = replica; ALWAYS is not.
alter table audit.entry enable always trigger append_only;
alter table audit.entry enable always trigger no_truncate;
alter table audit.head enable always trigger no_truncate;
alter table audit.head enable always trigger no_delete;

-- Refuses to commit a row of a governed table for which this very transaction has no entry that names it.
create function audit.require_entry() returns trigger
language plpgsql security definer set search_path = audit, public, pg_catalog as $$
declare
  target text := tg_table_name || ':' || case when tg_op = 'DELETE' then old.id else new.id end;
begin
  perform 1 from audit.entry
  where xid = pg_current_xact_id()
    and cluster = (select system_identifier from pg_control_system())
    and target = any (targets);
  if not found then
    raise exception 'governed change without audit entry: %', target;
  end if;
  return null;
end $$;

create function audit.refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'governed change without audit entry: % cannot be truncated', tg_table_name;
end $$;

-- The tables under governance, so that verification can tell a trigger that was dropped.
create table audit.governed (table_name text primary key);

-- Puts a table (with a column id) under governance. Deferred, because the entry is appended last.
create procedure audit.govern(name text) language plpgsql as $$
begin
  insert into audit.governed values (name);
  execute format('create constraint trigger governed after insert or update or delete on %I
    deferrable initially deferred for each row execute function audit.require_entry()', name);
  execute format('create trigger no_truncate before truncate on %I for each statement execute function audit.refuse_truncate()', name);
  execute format('alter table %I enable always trigger governed', name);
  execute format('alter table %I enable always trigger no_truncate', name);
end $$;
