-- Owner: principals. The registry from which people import MCP servers, unless they name another.
alter table org add column mcp_registry text;
