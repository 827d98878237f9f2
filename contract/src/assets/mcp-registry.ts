// The registry API of the Model Context Protocol (v0.1), with servers as its schema of 2025-12-11 has them. Each server has an address of this service:
// MCP servers, and agents as servers. In a path, a client may write the slash of a name as %2F.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { name, time } from '../wire.ts';

export const server_schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

export const registryServer = z.object({
  $schema: z.literal(server_schema),
  name: z.string().describe('<namespace>/<name>: mcp-servers or agents below the reversed host of the service'),
  title: z.string(),
  description: z.string(),
  version: z.string(),
  remotes: z.array(
    z.object({
      type: z.literal('streamable-http'),
      url: z.string(),
      headers: z.array(
        z.object({
          name: z.literal('Authorization'),
          description: z.string(),
          value: z.literal('Bearer {token}'),
          isRequired: z.literal(true),
          isSecret: z.literal(true),
        }),
      ),
    }),
  ),
});

export const registryEntry = z.object({
  server: registryServer,
  _meta: z.object({
    'io.modelcontextprotocol.registry/official': z.object({
      status: z.literal('active'),
      publishedAt: time,
      updatedAt: time,
      isLatest: z.boolean(),
    }),
  }),
});
export type RegistryEntry = z.output<typeof registryEntry>;

export const registryList = z.object({
  servers: z.array(registryEntry),
  metadata: z.object({ count: z.int(), nextCursor: z.string().optional() }),
});
export type RegistryList = z.output<typeof registryList>;

const byServer = z.strictObject({ namespace: z.string().max(200), name });
const root = '/v0.1/servers';

export const mcpRegistryEndpoints = {
  'mcp_registry.servers': {
    method: 'GET',
    path: root,
    summary: 'The MCP servers that you may see: of the registry, and deployed agents as servers',
    operation: 'asset.list',
    query: z.strictObject({
      cursor: z.string().max(500).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(30),
      search: z.string().min(1).max(200).optional(),
      version: z.string().max(40).optional().describe('only the newest is listed'),
      updated_since: z.iso.datetime().optional(),
    }),
    reply: { kind: 'bare', status: 200, schema: registryList },
    problems: ['bad_cursor'],
  },
  'mcp_registry.versions': {
    method: 'GET',
    path: `${root}/{namespace}/{name}/versions`,
    summary: 'The version of an MCP server that its address serves',
    operation: 'asset.read',
    params: byServer,
    reply: { kind: 'bare', status: 200, schema: registryList },
    problems: [],
  },
  'mcp_registry.version': {
    method: 'GET',
    path: `${root}/{namespace}/{name}/versions/{version}`,
    summary: 'The version of an MCP server that its address serves, by its name or as `latest`',
    operation: 'asset.read',
    params: byServer.extend({ version: z.string().max(40) }),
    reply: { kind: 'bare', status: 200, schema: registryEntry },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
