// The service about itself: is it alive, is it ready, what is its contract, what is wrong with the machine under it.
import { z } from 'zod';
import { configuredKinds } from './asset-kinds.ts';
import type { Endpoint } from './endpoint.ts';

export const finding = z.object({
  part: z.string(),
  verdict: z.enum(['ok', 'warning', 'problem']),
  detail: z.string(),
  fix: z.string().nullable(),
});

export const serviceEndpoints = {
  'service.livez': {
    method: 'GET',
    path: '/livez',
    summary: 'The process answers',
    operation: 'service.describe',
    reply: { kind: 'bare', status: 200, schema: z.object({ status: z.literal('ok') }) },
    problems: [],
  },
  'service.readyz': {
    method: 'GET',
    path: '/readyz',
    summary:
      'The service can do its work: the database answers, there is room to write, and the audit log is what was signed',
    operation: 'service.describe',
    reply: { kind: 'bare', status: 200, schema: z.object({ status: z.literal('ready') }) },
    problems: ['starting', 'storage_full', 'log_mismatch'],
  },
  'service.openapi': {
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'This API, as OpenAPI 3.1',
    operation: 'service.describe',
    reply: { kind: 'bare', status: 200, schema: z.record(z.string(), z.unknown()) },
    problems: [],
  },
  'service.agent_schema': {
    method: 'GET',
    path: '/api/v1/schemas/agent.json',
    summary: 'The JSON Schema of agent.yaml, for editors',
    operation: 'service.describe',
    reply: { kind: 'bare', status: 200, schema: z.record(z.string(), z.unknown()) },
    problems: [],
  },
  'service.asset_schema': {
    method: 'GET',
    path: '/api/v1/schemas/assets/{kind}',
    summary: 'The JSON Schema of the config that an asset of a kind has, for editors',
    operation: 'service.describe',
    params: z.strictObject({ kind: z.enum(configuredKinds) }),
    reply: { kind: 'bare', status: 200, schema: z.record(z.string(), z.unknown()) },
    problems: [],
  },
  'service.doctor': {
    method: 'GET',
    path: '/api/v1/doctor',
    summary: 'Engine, base image, database, disk, clock, versions: what is wrong and what to do',
    operation: 'service.inspect',
    reply: { kind: 'data', status: 200, schema: z.array(finding) },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
