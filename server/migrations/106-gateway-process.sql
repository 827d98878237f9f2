-- Owner: ledger. The processes that hold amounts. One that has not been seen for a minute has died, and its holds are charged in full.
create table gateway_process (
  id uuid primary key,                               -- of one start of the process
  since timestamptz not null,                        -- it has been seen without a pause since then
  seen_at timestamptz not null
);
alter table hold add column process uuid;            -- null: of an earlier version; its deadline alone ends it
