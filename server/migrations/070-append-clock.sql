-- Owner: audit. The time of an entry is read once the chain is held: entries that were begun at once are then timed in the order in which they
-- are numbered, and a time before its predecessor's means that the clock was set back.

create or replace function audit.append(in_chain text, in_body text, in_targets text[])
returns table (seq bigint, occurred_at text, hash bytea)
language plpgsql security definer set search_path = pg_catalog, audit, public, pg_temp as $$
declare
  before audit.head%rowtype;
  at text;
  made bytea;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the audit log is written under read committed only';
  end if;
  select * into strict before from audit.head as h where h.chain = in_chain for update;
  at := to_char(clock_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
  made := audit.entry_hash(in_chain, before.seq + 1, at, in_body, before.hash);
  insert into audit.entry (chain, seq, occurred_at, body, prev, hash, cluster, xid, targets)
  values (in_chain, before.seq + 1, at, in_body, before.hash, made,
          (select system_identifier from pg_control_system()), pg_current_xact_id(), in_targets);
  update audit.head as h set seq = before.seq + 1, hash = made where h.chain = in_chain;
  return query select before.seq + 1, at, made;
end $$;
