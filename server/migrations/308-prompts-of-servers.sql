-- Owner: registry. The prompts of a server, in its list: a person pins their texts with those of the tools.
alter table tool_list add column prompts text not null default '[]';
