import type { Handlers } from '../../governance/http/handlers.ts';
import { forHolders } from '../langgraph/holder-of-key.ts';
import type { ServedParts } from './parts.ts';
import { findServer, listServers, type RegistryParts } from './registry.ts';
import { serveAgent } from './serve-agent.ts';

export function mcpRegistryRoutes(parts: RegistryParts): Handlers<'mcp_registry'> {
  return {
    'mcp_registry.servers': async ({ caller, query }) => await listServers(parts, caller, query),
    'mcp_registry.versions': async ({ caller, params }) => {
      const servers = [await findServer(parts, caller, params)];
      return { servers, metadata: { count: servers.length } };
    },
    'mcp_registry.version': async ({ caller, params }) => await findServer(parts, caller, params),
  };
}

export function servedRoutes(parts: ServedParts): Handlers<'served'> {
  return forHolders(parts.ingress, {
    'served.agent': async ({ caller, params: { name }, headers, body, signal, trace }) =>
      await serveAgent(parts, { caller, name, headers, body, signal, trace }),
  });
}
