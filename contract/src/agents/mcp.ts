// The tools of an agent, as a server of the Model Context Protocol. Only the door of the agents has these addresses: the key of the agent proves
// which version calls, and its agent.yaml names the servers.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { name } from '../wire.ts';

const ofAgent = {
  surface: 'mcp',
  method: 'POST',
  operation: 'tool.call',
  body: 'raw',
  reply: { kind: 'stream', status: 200 },
  problems: ['invalid_api_key', 'run_refused'],
} as const;

export const mcpEndpoints = {
  'mcp.all': {
    ...ofAgent,
    path: '/mcp',
    summary: 'The tools of all MCP servers of an agent, each named <server>__<tool>',
  },
  'mcp.one': {
    ...ofAgent,
    path: '/mcp/{name}',
    summary: 'The tools of one MCP server of an agent',
    params: z.strictObject({ name }),
  },
} as const satisfies Record<string, Endpoint>;
