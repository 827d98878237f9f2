-- Owner: tools. Questions of MCP servers to the person for whom a call is made, and what the person has answered. A row is about one question of one call: who asks
-- through what, with which arguments. Entries of the audit log tell of asking and answering, so the rows are not governed.
create table tool_question (
  id uuid primary key,
  agent_id uuid references asset on delete cascade,  -- null: the caller itself makes the call
  revision_id uuid,
  caller_id uuid not null,                -- the end caller, who alone answers
  caller text not null,                   -- as others see them
  through text[] not null,                -- the assets between the end caller and the call, the calling agent first
  server_id uuid not null references asset on delete cascade,
  server_version text not null,
  tool text not null,
  arguments_digest text not null,
  question_digest text not null,          -- of the message and the schema
  question bytea not null,                -- sealed: the arguments, the message and the fields
  state text not null default 'waiting'
    check (state in ('waiting', 'answered', 'declined', 'given', 'used', 'expired')),
  asked_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  answer bytea,                           -- sealed: the values, until the server has had them
  call_id uuid,                           -- the call to which they were given
  check ((answer is not null) = (state in ('answered', 'given')))
);
-- One open question of one call.
create unique index tool_question_open on tool_question
  (revision_id, caller_id, server_id, server_version, tool, arguments_digest, question_digest) nulls not distinct
  where state in ('waiting', 'answered', 'declined');
create index tool_question_waiting on tool_question (caller_id, asked_at, id) where state = 'waiting';
create index tool_question_of_call on tool_question (call_id) where state = 'given';
create index tool_question_of_agent on tool_question (agent_id);
create index tool_question_of_server on tool_question (server_id);
