// The service about itself: health, readiness, contract, and faults of its machine.
import { z } from 'zod';
import { configuredKinds } from './assets/asset-kinds.ts';
import type { Endpoint } from './endpoint.ts';

export const finding = z.object({
  part: z.string(),
  verdict: z.enum(['ok', 'warning', 'problem']),
  detail: z.string(),
  fix: z.string().nullable(),
});

export const serviceEndpoints = {
  'service.livez': {
    surface: 'probes',
    method: 'GET',
    path: '/livez',
    summary: 'The process answers',
    operation: 'service.describe',
    reply: { kind: 'bare', status: 200, schema: z.object({ status: z.literal('ok') }) },
    problems: [],
  },
  'service.readyz': {
    surface: 'probes',
    method: 'GET',
    path: '/readyz',
    summary: 'The service works: the database answers, the disks have space, and the audit log matches its checkpoints',
    operation: 'service.describe',
    reply: {
      kind: 'bare',
      status: 200,
      schema: z.object({ status: z.literal('ready'), warnings: z.array(z.string()) }),
    },
    problems: ['starting', 'storage_full', 'log_mismatch', 'ledger_unavailable'],
  },
  'service.metrics': {
    surface: 'probes',
    method: 'GET',
    path: '/metrics',
    summary: 'Counters of this process for Prometheus, for the bearer of METRICS_TOKEN. Not found without that setting',
    operation: 'metrics.read',
    reply: { kind: 'passed', status: 200 },
    problems: [],
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
    summary: 'The JSON Schema of the config of a kind of asset, for editors',
    operation: 'service.describe',
    params: z.strictObject({ kind: z.enum(configuredKinds) }),
    reply: { kind: 'bare', status: 200, schema: z.record(z.string(), z.unknown()) },
    problems: [],
  },
  'service.doctor': {
    method: 'GET',
    path: '/api/v1/doctor',
    summary: 'Checks of engine, base image, database, disk, clock and versions, with the fix for each fault',
    operation: 'service.inspect',
    reply: { kind: 'data', status: 200, schema: z.array(finding) },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
