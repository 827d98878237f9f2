-- Owner: guardrails. What guardrails did, without any text of a call. Ids have no foreign key: a row outlives its agent and team.

create table guardrail_count (
  hour timestamptz not null,                         -- in which the counts were written
  agent_id uuid,                                     -- null for a key of no agent
  team_id uuid,                                      -- null for a key of the organisation
  rule text not null,
  place text not null,
  outcome text not null,
  count bigint not null check (count > 0),
  unique nulls not distinct (agent_id, team_id, hour, rule, place, outcome)
);
create index on guardrail_count (team_id, hour);
create index on guardrail_count (hour);

create table guardrail_block (
  id bigint primary key generated always as identity,
  at timestamptz not null default clock_now(),
  agent_id uuid,
  team_id uuid,
  key_prefix text,                                   -- null at the ingress
  run_id uuid,                                       -- null for a call outside a run
  rule text not null,
  place text not null,
  reason text not null
);
create index on guardrail_block (agent_id, at);
create index on guardrail_block (team_id, at);
create index on guardrail_block (at);
