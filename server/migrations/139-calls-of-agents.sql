-- Owner: invoke. A call that another asset sends: that asset, and the first run of the chain. Null for a call of a caller alone.
alter table invocation
  add column via uuid,
  add column root_run_id uuid,
  add constraint invocation_via check ((via is null) = (root_run_id is null));
create index on invocation (root_run_id) where root_run_id is not null;
create index on invocation (via, agent_id) where state = 'running' and via is not null;
