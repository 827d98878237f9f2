-- Owner: tools. Calls of tools that wait for a person, and what the person has decided. Each row is about one call: who asks through what, and with which
-- arguments, under which policy. Entries of the audit log tell of asking and deciding, so the rows are not governed.
create table tool_approval (
  id uuid primary key,
  agent_id uuid not null references asset on delete cascade,
  revision_id uuid not null,
  caller_id uuid not null,                -- the end caller
  caller text not null,                   -- as others see them
  through text[] not null,                -- the agents between the end caller and the call, the calling one first
  server_id uuid not null references asset on delete cascade,
  server_version text not null,
  tool text not null,
  arguments_digest text not null,
  policy_digest text not null,            -- of the configs that want a person, and of the tool's pinned text
  arguments bytea not null,               -- sealed
  wanted_by text[] not null,              -- whose configs want a person
  by_other boolean not null,              -- the end caller does not decide
  state text not null default 'waiting'
    check (state in ('waiting', 'approved', 'rejected', 'used', 'void', 'expired')),
  asked_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  decided_by uuid,
  decided_by_label text,
  decided_at timestamptz,
  note text,                              -- of who decided, for the agent
  call_id uuid                            -- the call that used it up
);
-- One open request for one call.
create unique index tool_approval_open on tool_approval
  (revision_id, caller_id, server_id, server_version, tool, arguments_digest, policy_digest)
  where state in ('waiting', 'approved', 'rejected');
create index tool_approval_waiting on tool_approval (asked_at, id) where state = 'waiting';
create index tool_approval_of_caller on tool_approval (caller_id);
create index tool_approval_of_agent on tool_approval (agent_id);
create index tool_approval_of_server on tool_approval (server_id);

alter table tool_call add column approval_id uuid;  -- the approval that the call used up
