import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { assetKinds, visibilities } from './roles.ts';
import { runEvent } from './runs.ts';
import { byId, id, name, paging, text, version } from './wire.ts';

export const assetVersion = z.object({
  id,
  ref: z.string().describe('agents/<name>@<version>'),
  version: z.string(),
  digest: z.string().describe('sha256 of config, files, lock, base image and resolved references'),
  state: z.enum(['draft', 'final']),
  approved: z.boolean(),
  message: z.string(),
  pushed_by: z.string(),
  created_at: z.string(),
});

export const asset = z.object({
  id,
  kind: z.enum(assetKinds),
  ref: z.string(),
  name: z.string(),
  team: z.string(),
  owner: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  framework: z.string().nullable(),
  visibility: z.enum(visibilities),
  published: z.boolean(),
  latest_version: z.string().nullable(),
  serving_version: z.string().nullable().describe('the version that answers now; null when none is deployed'),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Asset = z.output<typeof asset>;

export const assetDetail = asset.extend({
  config: z.record(z.string(), z.unknown()).nullable(),
  versions: z.array(assetVersion),
  permissions: z.array(z.object({ principal: z.string(), actions: z.array(z.string()) })),
});

export const push = z.object({
  id,
  ref: z.string().describe('agents/<name>@<version>'),
  state: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  digest: z.string().nullable(),
  unchanged: z.boolean().describe('this exact content was there already'),
  problem: z.record(z.string(), z.unknown()).nullable(),
  notices: z.array(z.string()),
  created_at: z.string(),
});

/** What the registry keeps of an asset that is no agent: enough for an agent to refer to it. */
export const simpleKinds = ['tool', 'knowledge-base', 'mcp-server'] as const;
const byKindAndName = z.strictObject({ kind: z.enum(assetKinds), name });

export const registryEndpoints = {
  'agents.push': {
    method: 'POST',
    path: '/api/v1/agents/{name}/versions',
    summary: 'Push a project: unpack, check, resolve, lock and store it as a version',
    operation: 'asset.write',
    params: z.strictObject({ name }),
    query: z.strictObject({ message: text.default('') }),
    body: 'archive',
    reply: { kind: 'data', status: 202, schema: push },
    problems: [
      'archive_unsafe',
      'archive_too_large',
      'project_invalid',
      'rbac_failed',
      'owner_mismatch',
      'version_final',
      'reference_missing',
      'exists',
      'conflict',
    ],
  },
  'pushes.show': {
    method: 'GET',
    path: '/api/v1/pushes/{id}',
    summary: 'How a push stands',
    operation: 'asset.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: push },
    problems: [],
  },
  'pushes.events': {
    method: 'GET',
    path: '/api/v1/pushes/{id}/events',
    summary: 'What a push does, live; resumable with Last-Event-ID',
    operation: 'asset.read',
    params: byId,
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
    reply: { kind: 'events', status: 200, schema: runEvent },
    problems: [],
  },
  'registry.search': {
    method: 'GET',
    path: '/api/v1/registry/search',
    summary: 'Full-text search over name, description, tags, team and framework',
    operation: 'asset.list',
    query: z.strictObject({ q: z.string().min(1).max(200), kind: z.enum(assetKinds).optional(), ...paging }),
    reply: { kind: 'list', status: 200, schema: asset },
    problems: ['bad_cursor'],
  },
  'registry.list': {
    method: 'GET',
    path: '/api/v1/registry/{kind}',
    summary: "Assets of a kind: your teams' and published ones",
    operation: 'asset.list',
    params: z.strictObject({ kind: z.enum(assetKinds) }),
    query: z.strictObject({ team: name.optional(), ...paging }),
    reply: { kind: 'list', status: 200, schema: asset },
    problems: ['bad_cursor'],
  },
  'registry.show': {
    method: 'GET',
    path: '/api/v1/registry/{kind}/{name}',
    summary: 'An asset with its versions and who may do what',
    operation: 'asset.read',
    params: byKindAndName,
    reply: { kind: 'data', status: 200, schema: assetDetail },
    problems: [],
  },
  'registry.create': {
    method: 'POST',
    path: '/api/v1/registry/{kind}',
    summary: 'Create a tool, a knowledge base or an MCP server',
    operation: 'asset.create',
    params: z.strictObject({ kind: z.enum(simpleKinds) }),
    body: z.strictObject({
      name,
      team: name,
      version: version.default('1.0.0'),
      description: text.max(1000).default(''),
      tags: z
        .array(z.string().regex(/^[\w.-]{1,40}$/))
        .max(20)
        .default([]),
      visibility: z.enum(visibilities).default('org'),
      config: z.record(z.string().max(100), z.json()).default({}),
    }),
    reply: { kind: 'data', status: 201, schema: assetDetail },
    problems: ['exists'],
  },
  'registry.edit': {
    method: 'PUT',
    path: '/api/v1/registry/{kind}/{name}',
    summary: 'Give a tool, a knowledge base or an MCP server a new version',
    operation: 'asset.write',
    params: z.strictObject({ kind: z.enum(simpleKinds), name }),
    body: z.strictObject({
      version,
      description: text.max(1000).optional(),
      tags: z
        .array(z.string().regex(/^[\w.-]{1,40}$/))
        .max(20)
        .optional(),
      config: z.record(z.string().max(100), z.json()),
    }),
    reply: { kind: 'data', status: 200, schema: assetDetail },
    problems: ['version_final'],
  },
} as const satisfies Record<string, Endpoint>;
