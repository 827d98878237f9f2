import { z } from 'zod';
import { configOnlyKinds, configuredKinds } from './asset-kinds.ts';
import { canUse } from '../can.ts';
import { difference } from './difference.ts';
import type { Endpoint } from '../endpoint.ts';
import { assetKinds, visibilities } from '../roles.ts';
import { runEvent } from '../agents/runs.ts';
import { byId, email, id, json, name, paging, text, version } from '../wire.ts';

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
  strategy: z.string().nullable().describe('of the highest version of an orchestration'),
  visibility: z.enum(visibilities),
  published: z.boolean(),
  latest_version: z.string().nullable(),
  serving_version: z.string().nullable().describe('the version that answers now; null when none is deployed'),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Asset = z.output<typeof asset>;

/** The answer of a change that can end the caller's permission to read the asset. */
export const assetState = asset.pick({ ref: true, team: true, owner: true, visibility: true, published: true });
export type AssetState = z.output<typeof assetState>;

/** The status of an agent has the endpoints that depend on its deploy. */
export const assetActions = [
  'agents.push',
  'approvals.submit',
  'permissions.grant',
  'permissions.revoke',
  'registry.delete',
  'registry.edit',
  'registry.publish',
  'registry.set_visibility',
  'registry.transfer',
  'registry.unpublish',
  'secrets.remove',
  'secrets.set',
  'skills.push',
] as const;

export const assetDetail = asset.extend({
  config: z.record(z.string(), z.unknown()).nullable(),
  versions: z.array(assetVersion),
  permissions: z.array(z.object({ principal: z.string(), actions: z.array(z.string()) })),
  can: canUse(assetActions),
});
export type AssetDetail = z.output<typeof assetDetail>;

export const assetVersionDetail = assetVersion.extend({
  config: z.record(z.string(), z.unknown()),
  references: z
    .array(z.object({ ref: z.string(), version: z.string(), digest: z.string() }))
    .describe('its references, pinned when this version was created'),
});
export type AssetVersionDetail = z.output<typeof assetVersionDetail>;

/** A longer text is not shown. */
export const max_text_bytes = 200_000;

export const versionFile = z.object({
  path: z.string(),
  bytes: z.number().int(),
  sha256: z.string(),
});

export const assetUsers = z.object({
  assets: z.array(z.string()).describe('those that you may read'),
  settings: z.array(z.string()).describe('settings of the organisation that name it'),
  hidden: z.number().int().describe('how many others there are'),
});
export type AssetUsers = z.output<typeof assetUsers>;

export const versionText = versionFile.extend({
  text: z.string().nullable().describe('as it was pushed; without it, `no_text` has the reason'),
  no_text: z.enum(['binary', 'too_large']).nullable(),
});
export type VersionText = z.output<typeof versionText>;

export const versionDifference = z.object({
  from: z.string().describe('agents/<name>@<version>'),
  to: z.string(),
  changes: difference,
});
export type VersionDifference = z.output<typeof versionDifference>;

export const push = z.object({
  id,
  ref: z.string().describe('agents/<name>@<version>'),
  state: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  digest: z.string().nullable(),
  unchanged: z.boolean().describe('this exact content already existed'),
  problem: z.record(z.string(), z.unknown()).nullable(),
  notices: z.array(z.string()),
  created_at: z.string(),
});

export const pushedSkill = z.object({
  ref: z.string().describe('skills/<name>@<version>'),
  digest: z.string(),
  unchanged: z.boolean().describe('this exact content already existed'),
  created: z.boolean().describe('this is the first version of a new skill'),
  files: z.array(versionFile),
});
export type PushedSkill = z.output<typeof pushedSkill>;

const byKindAndName = z.strictObject({ kind: z.enum(assetKinds), name });
const byConfigOnlyKindAndName = z.strictObject({ kind: z.enum(configOnlyKinds), name });
const byConfiguredKindAndName = z.strictObject({ kind: z.enum(configuredKinds), name });
const description = text.max(1000);
const tags = z.array(z.string().regex(/^[\w.-]{1,40}$/)).max(20);
const config = z
  .record(z.string().max(100), json)
  .describe('in the form of GET /api/v1/schemas/assets/{kind}; secrets only by name');
const stateReply = { kind: 'data', status: 200, schema: assetState } as const;

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
    ],
  },
  'skills.push': {
    method: 'POST',
    path: '/api/v1/skills/{name}/versions',
    summary: 'Push the folder of a skill: unpack, check and store it as a version',
    operation: 'asset.write',
    params: z.strictObject({ name }),
    query: z.strictObject({
      version: version
        .optional()
        .describe('unset: `metadata.version` of SKILL.md, or the highest version, or 1.0.0 for a new skill'),
      team: name.optional().describe('of a new skill, which needs one'),
      owner: email.optional().describe('of a new skill; yourself when absent; a service principal must name one'),
      visibility: z.enum(visibilities).default('org').describe('of a new skill'),
      message: text.default(''),
    }),
    body: 'archive',
    reply: { kind: 'data', status: 201, schema: pushedSkill },
    problems: ['archive_unsafe', 'archive_too_large', 'project_invalid', 'owner_mismatch', 'version_final', 'exists'],
  },
  'pushes.show': {
    method: 'GET',
    path: '/api/v1/pushes/{id}',
    summary: 'The state of a push',
    operation: 'asset.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: push },
    problems: [],
  },
  'pushes.events': {
    method: 'GET',
    path: '/api/v1/pushes/{id}/events',
    summary: 'The events of a push as they occur; resumable with Last-Event-ID',
    operation: 'asset.read',
    params: byId,
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
    reply: { kind: 'events', status: 200, schema: runEvent },
    problems: [],
  },
  'registry.search': {
    method: 'GET',
    path: '/api/v1/registry/search',
    summary: 'Full-text search over name, description, tags, team and framework; without `q` all assets by name',
    operation: 'asset.list',
    query: z.strictObject({
      q: z.string().min(1).max(200).optional(),
      kind: z.enum(assetKinds).optional(),
      team: name.optional(),
      ...paging,
    }),
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
    summary: 'An asset with its versions and access-control entries',
    operation: 'asset.read',
    params: byKindAndName,
    reply: { kind: 'data', status: 200, schema: assetDetail },
    problems: [],
  },
  'registry.show_version': {
    method: 'GET',
    path: '/api/v1/registry/{kind}/{name}/versions/{version}',
    summary: 'One version of an asset with its config and references',
    operation: 'asset.read',
    params: byKindAndName.extend({ version }),
    reply: { kind: 'data', status: 200, schema: assetVersionDetail },
    problems: [],
  },
  'registry.used_by': {
    method: 'GET',
    path: '/api/v1/registry/{kind}/{name}/used-by',
    summary:
      'The assets that refer to an asset, or call it by name: in their serving version, or in their present config',
    operation: 'asset.read',
    params: byKindAndName,
    reply: { kind: 'data', status: 200, schema: assetUsers },
    problems: [],
  },
  'registry.difference': {
    method: 'GET',
    path: '/api/v1/registry/{kind}/{name}/difference',
    summary: 'The changes between two versions: config, files, packages, base image and access',
    operation: 'asset.read',
    params: byKindAndName,
    query: z.strictObject({ from: version, to: version }),
    reply: { kind: 'data', status: 200, schema: versionDifference },
    problems: [],
  },
  'registry.files': {
    method: 'GET',
    path: '/api/v1/registry/{kind}/{name}/versions/{version}/files',
    summary: 'The files of a version; only agents and skills have files',
    operation: 'asset.read',
    params: byKindAndName.extend({ version }),
    reply: { kind: 'data', status: 200, schema: z.array(versionFile) },
    problems: [],
  },
  'registry.show_file': {
    method: 'GET',
    path: '/api/v1/registry/{kind}/{name}/versions/{version}/file',
    summary: 'The text of one file of a version, such as its agent.yaml; each reader of a skill gets its text',
    operation: 'asset.write',
    params: byKindAndName.extend({ version }),
    query: z.strictObject({ path: z.string().min(1).max(1000) }),
    reply: { kind: 'data', status: 200, schema: versionText },
    problems: [],
  },
  'registry.create': {
    method: 'POST',
    path: '/api/v1/registry/{kind}',
    summary: 'Create an asset of any kind except agents and skills: these are pushed',
    operation: 'asset.create',
    params: z.strictObject({ kind: z.enum(configOnlyKinds) }),
    body: z.strictObject({
      name,
      team: name,
      owner: email.optional().describe('a member of the team; yourself when absent; a service principal must name one'),
      version: version.default('1.0.0'),
      description: description.default(''),
      tags: tags.default([]),
      visibility: z.enum(visibilities).default('org'),
      config: config.default({}),
    }),
    reply: { kind: 'data', status: 201, schema: assetDetail },
    problems: ['exists', 'reference_missing', 'reference_changed', 'owner_mismatch'],
  },
  'registry.edit': {
    method: 'PUT',
    path: '/api/v1/registry/{kind}/{name}',
    summary: 'Change the description or the tags of an asset, or its config as a new version; absent fields stay',
    operation: 'asset.write',
    params: byConfigOnlyKindAndName,
    body: z
      .strictObject({
        version: version.optional().describe('the version of the config'),
        description: description.optional(),
        tags: tags.optional(),
        config: config.optional(),
      })
      .refine((body) => (body.version === undefined) === (body.config === undefined), {
        error: 'needs `config`',
        path: ['version'],
      }),
    reply: { kind: 'data', status: 200, schema: assetDetail },
    problems: ['version_final', 'reference_missing', 'reference_changed', 'owner_mismatch', 'in_use'],
  },
  'registry.set_visibility': {
    method: 'PUT',
    path: '/api/v1/registry/{kind}/{name}/visibility',
    summary: 'Replace the entries of the organisation and of the team with those of this visibility',
    operation: 'permission.change',
    params: byKindAndName,
    body: z.strictObject({ visibility: z.enum(visibilities) }),
    reply: stateReply,
    problems: ['last_admin'],
  },
  'registry.publish': {
    method: 'POST',
    path: '/api/v1/registry/{kind}/{name}/publish',
    summary: 'Show an asset in the lists and searches of other teams, to users who may read it',
    operation: 'asset.publish',
    params: byKindAndName,
    reply: stateReply,
    problems: [],
  },
  'registry.unpublish': {
    method: 'POST',
    path: '/api/v1/registry/{kind}/{name}/unpublish',
    summary: 'Remove an asset from the lists and searches of other teams; it stays readable by its name',
    operation: 'asset.publish',
    params: byKindAndName,
    reply: stateReply,
    problems: [],
  },
  'registry.transfer': {
    method: 'POST',
    path: '/api/v1/registry/{kind}/{name}/transfer',
    summary: 'Transfer an asset to another team or owner, with the entries of its team and owner',
    operation: 'asset.transfer',
    params: byKindAndName,
    body: z
      .strictObject({ team: name.optional(), owner: email.optional() })
      .refine((body) => body.team !== undefined || body.owner !== undefined, {
        error: 'or `owner` is needed',
        path: ['team'],
      }),
    reply: stateReply,
    problems: [],
  },
  'registry.delete': {
    method: 'DELETE',
    path: '/api/v1/registry/{kind}/{name}',
    summary: 'Delete an asset that nothing refers to; for agents use `DELETE /api/v1/agents/{name}`',
    operation: 'asset.delete',
    params: byConfiguredKindAndName,
    query: z
      .strictObject({
        force: z
          .stringbool()
          .default(false)
          .describe(
            'also a model that is called by its name; those calls then fail. Also a target with leftovers; they stay, and the audit log names them',
          ),
        reason: text.optional().describe('needed with `force`; in the audit log'),
      })
      .refine(({ force, reason }) => !force || (reason ?? '').trim() !== '', {
        error: 'is needed with `force`',
        path: ['reason'],
      }),
    reply: { kind: 'none', status: 204 },
    problems: ['in_use'],
  },
} as const satisfies Record<string, Endpoint>;
