-- Owner: principals. How long threads and store items of agents are kept after their last use. Null: without a limit.
alter table org add column memory_kept_days integer default 90 check (memory_kept_days between 1 and 3650);
