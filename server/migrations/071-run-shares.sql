-- Owner: runs. Whose team a run counts to, and why one that was not begun waits: it is said once, as an event of the run.

alter table run add column team_id uuid, add column waits_for text
  check (waits_for in ('user', 'team', 'kind', 'place'));

alter table run_event drop constraint run_event_kind_check;
alter table run_event add check (kind in ('step', 'log', 'notice', 'wait', 'end'));

-- What a process executes is counted for each run that it may claim.
create index run_held on run (owner) where owner is not null;
