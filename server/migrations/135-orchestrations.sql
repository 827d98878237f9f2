-- Owner: registry. Orchestrations are assets, and a version pins the agents that it names by their ids.

alter table asset drop constraint asset_kind_check;
alter table asset add constraint asset_kind_check
  check (kind in ('agent', 'prompt', 'tool', 'memory-config', 'rag-index', 'knowledge-base', 'model', 'mcp-server', 'orchestration'));

-- 3: as 2, and the digest covers of a pinned agent the reference and the id, because each agent is deployed on its own.
alter table content drop constraint content_schema_check;
alter table content add constraint content_schema_check check (schema in (1, 2, 3));
