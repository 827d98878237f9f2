-- Owner: deploy. The instances of a replaced revision stay ready for a rollback until then. They take no calls.
alter table instance add column warm_until timestamptz;

-- The revision that the run switched the traffic to, written with the switch. Another one than the run's own after a return to a warm revision.
alter table deployment add column revision_id uuid;
update deployment set revision_id = run_id where run_id in (select id from revision);
