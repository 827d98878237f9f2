-- Owner: memory. Items that callers share: `owner` is agent <id> or team <id>. For a team, `agent_id` is the memory config that its agents name.
-- Whoever wrote a shared item, so that an item goes when one of them is forgotten.
alter table store_item add column writer_ids uuid[] not null default '{}';
create index store_item_of_writer on store_item using gin (writer_ids);
