-- Owner: tools. Which rule has refused a call: whose rule it is, and its name.
alter table tool_call add column rule text;
