-- Owner: deploy. The fields without which the agent refuses a call. Null: its container has not said so.
alter table revision_input add column required_fields text[];
