-- Owner: principals. Whether traces of agents have inputs and outputs.

alter table org
  add column hide_trace_inputs boolean not null default false,
  add column hide_trace_outputs boolean not null default false;
