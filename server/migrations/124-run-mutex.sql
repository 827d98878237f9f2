-- Owner: runs. One run of any kind holds a mutex. A run that is stored `behind` the holder waits for its turn.

alter table run add column behind boolean not null default false;

update run set mutex = case kind when 'deploy' then 'agent:' else 'push:' end || mutex where kind in ('deploy', 'push');

drop index run_one_at_a_time;
create unique index run_one_holder on run (mutex) where state in ('queued', 'running', 'cancelling') and not behind;
-- Two simultaneous claims may both pass the claim's own condition. The second then fails here.
create unique index run_one_begun on run (mutex) where started_at is not null and ended_at is null;

-- Limits are per kind. No limit covers all kinds.
update run set waits_for = 'kind' where waits_for = 'place';
alter table run drop constraint run_waits_for_check;
alter table run add check (waits_for in ('mutex', 'user', 'team', 'kind'));

-- A step with an undo that the undo of its run does not reach is a leftover.
alter table run_step add column has_undo boolean not null default false;
