-- Owner: principals. Admins of an agent may read the threads of its callers, each look on record.
alter table org add column admins_read_threads boolean not null default false;
