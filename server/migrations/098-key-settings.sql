-- Owner: keys. What the agent.yaml of an agent says about its calls: {fallback, temperature, max_tokens}; null for every other key.
alter table gateway_key add column settings jsonb;
