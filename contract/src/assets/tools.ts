// The tools of MCP servers. A server lists what it offers, and a person pins that list. Agents call what is pinned, and nothing that the server
// has changed since.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byName, time, version } from '../wire.ts';

/** The server that the tools of `type: http` of the registry are for an agent. */
export const registry_server = 'registry';
/** The server that the knowledge bases and RAG indexes of an agent are for it. */
export const knowledge_server = 'knowledge';
/** What the service itself serves under these names. No MCP server has them. */
export const reserved_servers: Readonly<Record<string, string>> = {
  [registry_server]: 'the tools of `type: http`',
  [knowledge_server]: 'the searches of its knowledge bases',
};
/** The tool that searches a knowledge base or a RAG index. */
export const searchTool = (name: string): string => `search_${name}`;

export const toolDefinition = z.object({
  kind: z.enum(['tool', 'prompt']).describe('tools and prompts are pinned together'),
  name: z.string(),
  description: z.string(),
  definition: z
    .record(z.string(), z.unknown())
    .describe('as the server lists it: title, schemas and annotations of a tool, title and arguments of a prompt'),
});
export type ToolDefinition = z.output<typeof toolDefinition>;

const changedTool = z.object({ before: toolDefinition, after: toolDefinition });

export const hostedServer = z.object({
  package: z.string().describe('pypi:<name>==<version> or npm:<name>@<version>'),
  share: z.enum(['call', 'caller', 'revision']).describe('who shares a container of it'),
  egress: z.array(z.string()).describe('the only destinations of its containers; empty: they have no network'),
  image: z
    .string()
    .nullable()
    .describe('the digest of the image that runs: that of the pinned list; null: nothing is pinned'),
  components: z.array(z.object({ name: z.string(), version: z.string() })).describe('what is in that image'),
  running: z.int().describe('the containers of it that run now'),
});

export const serverTools = z.object({
  ref: z.string().describe('mcp-servers/<name>@<version>'),
  hosted: hostedServer.nullable().describe('of a server that the service runs; null: it has an address'),
  pinned: z
    .object({ digest: z.string(), by: z.string(), at: time, tools: z.array(toolDefinition) })
    .nullable()
    .describe('what agents may call; null: nobody has pinned a list of this version, so they call nothing'),
  seen: z
    .object({ digest: z.string(), at: time })
    .nullable()
    .describe('the newest list that the server has given; null: it was never asked'),
  added: z.array(toolDefinition).describe('seen and not pinned'),
  removed: z.array(toolDefinition).describe('pinned and not seen'),
  changed: z.array(changedTool).describe('not called until the seen list is pinned'),
});
export type ServerTools = z.output<typeof serverTools>;

const ofServer = {
  params: byName,
  query: z.strictObject({ version: version.optional().describe('the newest when absent') }),
  reply: { kind: 'data', status: 200, schema: serverTools },
} as const;

/** Refusals of the workshop, which also locks and installs what agents need. */
export const buildProblems = [
  'base_image_missing',
  'index_unreachable',
  'dependency_conflict',
  'build_failed',
  'out_of_memory',
  'disk_limit',
] as const;

export const toolsEndpoints = {
  'tools.show': {
    ...ofServer,
    method: 'GET',
    path: '/api/v1/mcp-servers/{name}/tools',
    summary: 'The pinned tools of an MCP server, and how its newest list differs from them',
    operation: 'asset.read',
    problems: [],
  },
  'tools.look': {
    ...ofServer,
    method: 'POST',
    path: '/api/v1/mcp-servers/{name}/tools/look',
    summary: 'Ask an MCP server now for its tools',
    operation: 'tools.pin',
    problems: [
      'server_unavailable',
      'not_callable',
      // Of a server with `as: user`.
      'connection_needed',
      'connection_failed',
      // Of a hosted server, whose package is locked and installed.
      'servers_full',
      'egress_refused',
      'egress_not_enforced',
      'engine_unavailable',
      'project_invalid',
      ...buildProblems,
    ],
  },
  'tools.pin': {
    ...ofServer,
    method: 'POST',
    path: '/api/v1/mcp-servers/{name}/tools/pin',
    summary: 'Pin the list with this digest: agents may call its tools',
    operation: 'tools.pin',
    body: z.strictObject({ digest: z.string().max(100).describe('of the list that was read') }),
    problems: ['tools_changed'],
  },
} as const satisfies Record<string, Endpoint>;
