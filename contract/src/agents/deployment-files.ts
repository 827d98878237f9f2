import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byId } from '../wire.ts';

export const artefact = z.object({
  name: z.string(),
  sha256: z.string(),
  content: z.string(),
});
export type Artefact = z.output<typeof artefact>;

export const deploymentFileEndpoints = {
  'deployments.files': {
    method: 'GET',
    path: '/api/v1/deployments/{id}/files',
    summary: 'The files of the registered revision: compose file and bill of materials (CycloneDX)',
    operation: 'deployment.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: z.array(artefact) },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
