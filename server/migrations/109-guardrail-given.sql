-- Owner: guardrails. The texts that an agent was given during a run, for a rule that compares its answer with them. They go with the run, and a
-- day later at the latest.

create table guardrail_given (
  run_id uuid not null,
  hash bytea not null,                               -- of the source and the text
  n bigint not null generated always as identity,
  source text not null,
  text text not null,
  at timestamptz not null default clock_now(),
  primary key (run_id, hash)
);
create index on guardrail_given (at);
