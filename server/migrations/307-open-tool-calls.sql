-- Owner: tools. A call is under way until it ends, or until the lease of its process is over: a killed process leaves no slot taken.
alter table tool_call add column lease_until timestamptz;
create index tool_call_under_way on tool_call (agent_id) where ended_at is null and not is_recorded;
-- The calls of the last minute, for limits per minute.
create index tool_call_of_agent on tool_call (agent_id, server, started_at desc);
