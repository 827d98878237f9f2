-- Owner: invoke. A cancel that the container has not taken. The ingress that follows the call repeats it.
alter table invocation add column cancel_pending boolean not null default false;
create index on invocation (owner) where state = 'running' and cancel_pending;
