-- Owner: principals. The guardrails that every agent and key of the named teams has, whatever its agent.yaml says.

alter table org add column required_guardrails jsonb not null default '[]' check (jsonb_typeof(required_guardrails) = 'array');
