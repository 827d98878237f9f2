-- Owner: principals. The longest time of a share of a thread. 0: nobody shares threads.
alter table org add column share_threads_days integer not null default 30 check (share_threads_days between 0 and 365);
