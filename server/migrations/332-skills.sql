-- Owner: registry. A skill is a folder with a SKILL.md: instructions for agents, and files beside them.

alter table asset drop constraint asset_kind_check;
alter table asset add constraint asset_kind_check
  check (kind in ('agent', 'prompt', 'tool', 'memory-config', 'rag-index', 'knowledge-base', 'model', 'mcp-server', 'orchestration', 'target', 'skill'));
