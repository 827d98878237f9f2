-- Owner: tools. Each call of a tool. The row is there before the call goes out. Entries of the audit log repeat it in batches, so the rows are not governed.
create table tool_call (
  id uuid primary key default gen_random_uuid(),
  agent_id uuid not null,                 -- no reference: the record outlives what it names
  revision_id uuid not null,
  run_id uuid,                            -- null: the agent called for itself, outside of a run
  caller_id uuid not null,                -- the end caller
  server text not null,                   -- mcp-servers/<name>
  server_version text not null,
  tool text not null,
  arguments_digest text not null,
  result_digest text,                     -- null: there was no result
  outcome text check (outcome in ('answered', 'error', 'failed', 'refused')),  -- null: not known yet, or its process died
  problem text,                           -- the code of a refusal or a failure
  started_at timestamptz not null default clock_now(),
  ended_at timestamptz,
  is_recorded boolean not null default false  -- an entry of the audit log has it
);
create index tool_call_to_record on tool_call (started_at) where not is_recorded;
create index tool_call_by_run on tool_call (run_id) where run_id is not null;
create index tool_call_by_server on tool_call (server, started_at desc);
