-- Owner: tools. People and service principals call tools for themselves: then no agent and no revision makes the call.
alter table tool_call alter column agent_id drop not null;
alter table tool_call alter column revision_id drop not null;
alter table tool_approval alter column agent_id drop not null;
alter table tool_approval alter column revision_id drop not null;
drop index tool_approval_open;
create unique index tool_approval_open on tool_approval
  (revision_id, caller_id, server_id, server_version, tool, arguments_digest, policy_digest) nulls not distinct
  where state in ('waiting', 'approved', 'rejected');
