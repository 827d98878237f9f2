-- Owner: knowledge. The state of a Git repository that a snapshot has.
alter table knowledge_snapshot add column commit text; -- null: its base reads no repository
