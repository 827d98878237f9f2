-- Owner: runs. Keys that processes hold outside runs, such as the keeper of an agent. A released key has no row.

create table held_key (
  key text primary key,                                    -- the mutex of runs, or the presence of a process
  owner text not null,
  fence bigint not null generated always as identity,      -- grows with every claim of any key
  lease_until timestamptz not null
);

-- The ingress that follows the call. After the end of its lease, another one may take the call.
alter table invocation
  add column owner text,
  add column lease_until timestamptz;
