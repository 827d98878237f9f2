// An agent as a server of the Model Context Protocol: for clients of other vendors, who call it as a tool.
import { z } from 'zod';
import { ofKeysForAgents, type Endpoint } from '../endpoint.ts';
import { name } from '../wire.ts';
import { callRefusals } from './invoke.ts';

export const servedEndpoints = {
  'served.agent': {
    surface: 'mcp',
    method: 'POST',
    path: '/agents/{name}/mcp',
    summary: 'An agent as an MCP server with one tool, which calls the agent',
    operation: 'asset.invoke',
    params: z.strictObject({ name }),
    body: 'raw',
    reply: { kind: 'stream', status: 200 },
    problems: [...callRefusals, ...ofKeysForAgents],
  },
} as const satisfies Record<string, Endpoint>;
