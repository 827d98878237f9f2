-- Owner: traces. One row per span, in one partition per day. The service's role has no DDL, so a function makes and drops partitions.

create table span (
  day date not null,                                 -- of its start, in UTC
  trace_id text not null,
  span_id text not null,
  parent_id text,
  name text not null,
  kind text not null,
  source text not null check (source in ('ingress', 'gateway', 'deploy', 'agent')),
  agent_id uuid,
  revision_id uuid,
  run_id uuid,
  team_id uuid,
  caller_id uuid,
  started_us bigint not null,                        -- since 1970
  ended_us bigint not null,
  status text not null check (status in ('ok', 'error')),
  model text,
  provider text,
  input_tokens bigint,
  output_tokens bigint,
  cost_nano_usd bigint,
  input text,
  output text,
  error text,
  attributes jsonb not null,
  -- A list has one row for each of these: a call to an agent, a deploy, and a call to a model that no run makes.
  is_entry boolean not null generated always as
    (source = 'ingress' or (source = 'deploy' and kind <> 'step') or (source = 'gateway' and run_id is null)) stored,
  -- A span that is sent twice is stored once.
  primary key (trace_id, span_id, day)
) partition by range (day);
create index on span (started_us) where is_entry;
create index on span (agent_id, started_us) where is_entry;
create index on span (run_id) where is_entry;

-- What was not stored. The reason says why.
create table span_loss (
  day date not null,
  reason text not null,
  spans bigint not null,
  primary key (day, reason)
);

-- Makes the partitions of the days around today. Drops days that are too old, and the oldest ones while all take too much space. Returns the
-- bytes that are left. A statement that reads spans delays it for at most the lock timeout; the next call tries again.
create function keep_span_partitions(keep_days integer, max_bytes bigint) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  today date := (public.clock_now() at time zone 'UTC')::date;
  made date;
  part record;
  kept bigint;
begin
  if keep_days < 1 then raise exception 'the present day is kept'; end if;
  perform pg_advisory_xact_lock(7305512);
  for made in select today + n from generate_series(-1, 2) as n loop
    if to_regclass(format('public.span_%s', to_char(made, 'YYYYMMDD'))) is null then
      execute format('create table public.span_%s partition of public.span for values from (%L) to (%L)',
        to_char(made, 'YYYYMMDD'), made, made + 1);
    end if;
  end loop;
  select coalesce(sum(pg_total_relation_size(inhrelid)), 0) into kept from pg_inherits where inhparent = 'public.span'::regclass;
  for part in
    select c.relname, to_date(right(c.relname, 8), 'YYYYMMDD') as day, pg_total_relation_size(c.oid) as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'public.span'::regclass order by c.relname
  loop
    if part.day < today - keep_days or (kept > max_bytes and part.day < today - 1) then
      execute format('drop table public.%I', part.relname);
      kept := kept - part.bytes;
    end if;
  end loop;
  delete from public.span_loss where day < today - keep_days;
  return kept;
end $$;
revoke execute on function keep_span_partitions(integer, bigint) from public;
