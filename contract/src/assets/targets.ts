// Where agents run. `local` is the container engine of the service itself. Admins of the platform add others, which are assets of the kind
// `target`: their config, their entries and their versions are in the registry.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { secretValue } from './secret-value.ts';
import { byName, time } from '../wire.ts';

/** The target that every service with a container engine has. */
export const local_target = 'local';

/** The kind of a target may stand for its name: it means the only one of that kind, or the one with the kind's own name. */
export const targetKinds = ['engine', 'kubernetes', 'aws', 'gcp', 'azure'] as const;
export type TargetKind = (typeof targetKinds)[number];

/** On what agents ran in our tests, and no more than that. `local` is an engine. */
export const testedOn = (kind: string): string =>
  Object.entries(ranOn).find(([one]) => one === kind)?.[1] ?? ranOn.engine;

const ranOn: Readonly<Record<TargetKind, string>> = {
  engine: 'real engines',
  kubernetes: 'a real cluster',
  aws: 'an emulator only',
  gcp: 'a stand-in of our own only',
  azure: 'a stand-in of our own only',
};

/** Where the service may have the identity of its machine, without a credential. */
export const isCloud = (kind: string): boolean => ['aws', 'gcp', 'azure'].includes(kind);

/** The container services of each cloud. The first one is that of a target whose config names none. */
export const runtimesOf: Readonly<Record<string, readonly string[]>> = {
  aws: ['ecs-fargate', 'ecs-express'],
  gcp: ['cloud-run'],
  azure: ['container-apps'],
};

export const target = z.object({
  name: z.string(),
  ref: z.string().nullable().describe('targets/<name>; null for `local`, which is no asset'),
  kind: z.string(),
  address: z
    .string()
    .nullable()
    .describe('of `aws`: its region and its cluster; null for `local`: the setting DOCKER_HOST of the service says it'),
  team: z.string().nullable(),
  deploys: z.boolean().describe('whether you may deploy to it'),
  agents: z.array(z.string()).describe('the agents with a revision on it that you may read'),
});
export type Target = z.output<typeof target>;

export const targetDetail = target.extend({
  config: z.record(z.string(), z.unknown()),
  digest: z
    .string()
    .nullable()
    .describe(
      'sha256 of its config and its credential. An approval is for a target with this digest. Null for `local`',
    ),
  credential: z
    .object({ set_by: z.string(), set_at: time })
    .nullable()
    .describe('when it was set; no endpoint answers the credential'),
});
export type TargetDetail = z.output<typeof targetDetail>;

export const targetFinding = z.object({
  part: z.string().describe('what was tried, such as `engine` or `registry`'),
  works: z.boolean(),
  message: z.string().describe('one line: what was found, or what is wrong'),
});
export type TargetFinding = z.output<typeof targetFinding>;

export const driftKinds = ['missing', 'foreign', 'changed'] as const;

export const targetDrift = z.object({
  kind: z.string().describe("the target's own word, such as `Deployment`"),
  name: z.string(),
  what: z
    .enum(driftKinds)
    .describe(
      '`missing`: on the record and gone. `foreign`: labelled as of this service, and not on the record. `changed`: not as it was described',
    ),
  detail: z.string().describe('in one line, without a value'),
  agent: z.string().nullable().describe('null: of the target itself, or unknown'),
  found_at: time,
  mend: z.string().nullable().describe('the command that mends it; null: it ends by itself'),
});
export type TargetDrift = z.output<typeof targetDrift>;

export const targetDrifts = z.object({
  target: z.string(),
  compares: z.boolean().describe('false: a target of this kind has nothing to compare'),
  drift: z.array(targetDrift),
});
export type TargetDrifts = z.output<typeof targetDrifts>;

const leftover = z.object({
  kind: z.string(),
  name: z.string(),
  agent: z.string().nullable(),
});

export const targetCollection = z.object({
  target: z.string(),
  removed: z.array(leftover),
  left: z.array(leftover.extend({ reason: z.string() })),
  reason: z.string().nullable().describe('why the target could not be asked; null: it answered'),
});
export type TargetCollection = z.output<typeof targetCollection>;

export const targetFile = z.object({ file: z.string().describe('its name'), content: z.string() });
export type TargetFile = z.output<typeof targetFile>;

/**
 * Of an `engine`: a client certificate for `tcp://`, or a private key for `ssh://`. Of `kubernetes`: a token of a service account, or a client
 * certificate. Of `aws`: an access key; of `gcp`: a key of a service account; of `azure`: the secret of an application; without
 * one, the service has the identity of its machine. And a login of the registry where it needs one.
 */
export const targetCredential = z.strictObject({
  certificate: secretValue
    .optional()
    .describe('PEM: the certificate of the service for an engine at tcp:// or an API server'),
  key: secretValue
    .optional()
    .describe(
      'PEM: the private key of the certificate, or the key of the user at ssh://. Of Google Cloud, JSON: a key of a service account. Of Azure, JSON: the secret of an application',
    ),
  token: secretValue.optional().describe('A token of a service account of Kubernetes, instead of a certificate'),
  access_key: z
    .strictObject({
      id: z.string().regex(/^[A-Z0-9]{16,128}$/, 'is no id of an access key, such as AKIA…'),
      secret: secretValue,
    })
    .optional()
    .describe('An access key of AWS; unset: the identity that the machine of the service has there'),
  registry: z
    .strictObject({ username: z.string().min(1).max(200), password: secretValue })
    .optional()
    .describe('a login of the registry; unset: it needs none'),
});
export type TargetCredential = z.output<typeof targetCredential>;

export const targetsEndpoints = {
  'targets.list': {
    method: 'GET',
    path: '/api/v1/targets',
    summary: 'The targets that you may read; `local` is first',
    operation: 'target.list',
    reply: { kind: 'data', status: 200, schema: z.array(target) },
    problems: [],
  },
  'targets.show': {
    method: 'GET',
    path: '/api/v1/targets/{name}',
    summary: 'A target with its config; its credential is never answered',
    operation: 'target.list',
    params: byName,
    reply: { kind: 'data', status: 200, schema: targetDetail },
    problems: [],
  },
  'targets.set_credential': {
    method: 'PUT',
    path: '/api/v1/targets/{name}/credential',
    summary: 'Set the credential of a target; approvals for it end, because secrets of agents are sent there',
    operation: 'target.change',
    params: byName,
    body: targetCredential,
    reply: { kind: 'data', status: 200, schema: targetDetail },
    problems: [],
  },
  'targets.drift': {
    method: 'POST',
    path: '/api/v1/targets/{name}/drift',
    summary: 'Look for what somebody changed by hand at a target; what is new is on the record',
    operation: 'target.change',
    params: byName,
    reply: { kind: 'data', status: 200, schema: targetDrifts },
    problems: ['engine_unavailable'],
  },
  'targets.collect': {
    method: 'POST',
    path: '/api/v1/targets/collect',
    summary: 'Remove from every target what nobody needs there, by the ledger of what was made',
    operation: 'target.change',
    reply: { kind: 'data', status: 200, schema: z.array(targetCollection) },
    problems: [],
  },
  'targets.test': {
    method: 'POST',
    path: '/api/v1/targets/{name}/test',
    summary: 'Try the address, the credential and the registry of a target',
    operation: 'target.change',
    params: byName,
    reply: { kind: 'data', status: 200, schema: z.array(targetFinding) },
    problems: [],
  },
  'targets.policy': {
    method: 'GET',
    path: '/api/v1/targets/{name}/policy',
    summary: 'The least that the service needs on a target, as files that the owner of the place applies',
    operation: 'target.change',
    params: byName,
    reply: { kind: 'data', status: 200, schema: z.array(targetFile) },
    problems: ['no_policy'],
  },
} as const satisfies Record<string, Endpoint>;
