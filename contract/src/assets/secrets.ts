// Secrets: values that agents get as environment variables. A value enters through one endpoint, and no endpoint answers it.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { environmentName } from '../identifiers.ts';
import { secretValue } from './secret-value.ts';
import { byId, id, name, paging, time } from '../wire.ts';

export const secret = z.object({
  id,
  name: z.string(),
  team: z.string().nullable().describe('the team that it belongs to; null for a secret of one agent'),
  agent: z.string().nullable().describe('the agent that it belongs to; null for a secret of a team'),
  created_by: z.string(),
  created_at: time,
  changed_by: z.string().describe('who set the present value'),
  changed_at: time,
  used_by: z.array(z.string()).describe('the deployed agents that get it and that you may read'),
});
export type Secret = z.output<typeof secret>;

const scope = { team: name.optional(), agent: name.optional() };

export const secretsEndpoints = {
  'secrets.list': {
    method: 'GET',
    path: '/api/v1/secrets',
    summary: 'The secrets of your teams and of the agents that you may read, without their values',
    operation: 'secret.list',
    query: z.strictObject({ ...scope, name: environmentName.optional(), ...paging }),
    reply: { kind: 'list', status: 200, schema: secret },
    problems: ['bad_cursor'],
  },
  'secrets.set': {
    method: 'PUT',
    path: '/api/v1/secrets',
    summary:
      'Set the value of a secret of a team or of an agent; running agents keep the previous value until they are replaced',
    operation: 'agent_secret.change',
    body: z
      .strictObject({ name: environmentName, ...scope, value: secretValue })
      .refine(({ team, agent }) => (team === undefined) !== (agent === undefined), {
        error: 'needs either `team` or `agent`',
        path: ['team'],
      }),
    reply: { kind: 'data', status: 200, schema: secret },
    problems: [],
  },
  'secrets.move': {
    method: 'POST',
    path: '/api/v1/secrets/{id}/move',
    summary:
      'Move a secret of an agent to its team, with its value, so that a model can use it; needs an admin of the team',
    operation: 'agent_secret.change',
    params: byId,
    reply: { kind: 'data', status: 200, schema: secret },
    problems: ['conflict', 'exists'],
  },
  'secrets.remove': {
    method: 'DELETE',
    path: '/api/v1/secrets/{id}',
    summary: 'Remove a secret that no deployed agent uses',
    operation: 'agent_secret.change',
    params: byId,
    reply: { kind: 'none', status: 204 },
    problems: ['in_use'],
  },
} as const satisfies Record<string, Endpoint>;
