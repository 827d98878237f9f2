-- Owner: deploy. What the memory config of a revision says when it is deployed. It never changes: a config counts with the next deploy.
alter table revision
  add column memory_config_id uuid,          -- the asset; null: its agent.yaml names none
  add column memory_scope text not null default 'user' check (memory_scope in ('user', 'agent', 'team')),
  add column threads_kept_seconds integer,   -- after their last use; null: as the organisation says
  add column items_kept_seconds integer;
create index revision_of_memory_config on revision (memory_config_id) where memory_scope = 'team';
