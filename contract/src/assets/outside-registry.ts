// MCP servers of other registries, by the registry API of the Model Context Protocol (v0.1). The service reads an entry and says what it would make of
// it; `registry.create` makes the server.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { environmentName } from '../identifiers.ts';
import { json, name } from '../wire.ts';

/** The paths of the API come after it. */
export const registryAddress = z
  .string()
  .max(500)
  .refine((written) => {
    const url = URL.parse(written);
    const isHttp = url !== null && /^https?:$/.test(url.protocol);
    return isHttp && url.username === '' && url.password === '' && !/[?#\s]/.test(written);
  }, 'must be an address such as https://registry.example.com, without a user, a query or a fragment');

/** By the API, with the slash that each name has. */
export const registeredName = z
  .string()
  .max(200)
  .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, 'must be <namespace>/<name>, such as io.github.example/weather');

export const serverVariable = z.object({
  name: z.string(),
  description: z.string(),
  is_required: z.boolean(),
  is_secret: z.boolean().describe('its value is a secret of the team with this name'),
  choices: z.array(z.string()).describe('its only values; empty: any'),
});
export type ServerVariable = z.output<typeof serverVariable>;

export const serverWay = z.object({
  of: z.string().describe('the address of a remote server, or the package'),
  config: z
    .record(z.string(), json)
    .nullable()
    .describe('of the MCP server that it becomes, without the required variables; null: it cannot be taken'),
  reason: z.string().nullable().describe('why it cannot be taken'),
  variables: z.array(serverVariable).describe('of the program, which a person sets; `config` has the defaults'),
  left_out: z.array(z.string()).describe('what the entry names, and `config` has not'),
});
export type ServerWay = z.output<typeof serverWay>;

const described = { name: z.string(), version: z.string(), title: z.string(), description: z.string() };

export const registeredServer = z.object({
  ...described,
  registry: z.string().describe('the address that was read'),
  ways: z.array(serverWay).describe('to use it, as the entry has them'),
});
export type RegisteredServer = z.output<typeof registeredServer>;

export const registeredServers = z.object({
  registry: z.string(),
  servers: z.array(z.object(described)),
  has_more: z.boolean(),
});
export type RegisteredServers = z.output<typeof registeredServers>;

const where = {
  team: name.describe('that will own the server'),
  from: registryAddress.optional().describe('the address of the registry; the setting `mcp_registry` when absent'),
  secret: environmentName
    .optional()
    .describe('the name of a secret of the team that the registry gets as a bearer token'),
};

export const outsideRegistryEndpoints = {
  'outside_registry.read': {
    method: 'POST',
    path: '/api/v1/outside-registry/read',
    summary: 'Read a server of another MCP registry, and what it would become here',
    operation: 'asset.create',
    body: z.strictObject({
      ...where,
      server: registeredName,
      version: z
        .string()
        .regex(/^[0-9A-Za-z][0-9A-Za-z.+_-]{0,254}$/, 'must be a version')
        .default('latest'),
    }),
    reply: { kind: 'data', status: 200, schema: registeredServer },
    problems: ['registry_unset', 'registry_unreadable'],
  },
  'outside_registry.search': {
    method: 'POST',
    path: '/api/v1/outside-registry/search',
    summary: 'The servers of another MCP registry whose names have these words',
    operation: 'asset.create',
    body: z.strictObject({ ...where, words: z.string().min(1).max(200) }),
    reply: { kind: 'data', status: 200, schema: registeredServers },
    problems: ['registry_unset', 'registry_unreadable'],
  },
} as const satisfies Record<string, Endpoint>;
