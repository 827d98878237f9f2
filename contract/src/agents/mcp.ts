// Tools as servers of the Model Context Protocol. At the door of the agents, the key of an agent proves which version calls, and its agent.yaml names the
// servers. At the address of the service, people and service principals call the tools of the servers that they may use.
import { z } from 'zod';
import { ofKeysForAgents, type Endpoint } from '../endpoint.ts';
import { name } from '../wire.ts';

const ofMcp = {
  surface: 'mcp',
  method: 'POST',
  body: 'raw',
  reply: { kind: 'stream', status: 200 },
  problems: [...ofKeysForAgents, 'run_refused', 'not_callable', 'insufficient_scope'],
} as const;

export const mcpEndpoints = {
  'mcp.all': {
    ...ofMcp,
    path: '/mcp',
    operation: 'asset.list',
    summary:
      'For people: the service itself as tools. For an agent: the tools of all its MCP servers, each named <server>__<tool>',
  },
  'mcp.one': {
    ...ofMcp,
    path: '/mcp/{name}',
    operation: 'asset.invoke',
    summary: 'The tools of one MCP server: what is pinned of it',
    params: z.strictObject({ name }),
  },
} as const satisfies Record<string, Endpoint>;
