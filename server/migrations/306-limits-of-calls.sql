-- Owner: principals. The limits of one call of a tool, and how many calls of an agent are under way at once.
alter table org add column tool_arguments_kb integer not null default 64 check (tool_arguments_kb between 1 and 512);
alter table org add column tool_result_kb integer not null default 1024 check (tool_result_kb between 1 and 3072);
alter table org add column tool_call_seconds integer not null default 60 check (tool_call_seconds between 1 and 600);
alter table org add column tool_calls_at_once integer not null default 8 check (tool_calls_at_once between 1 and 1000);
