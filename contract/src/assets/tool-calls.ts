// Calls of tools that wait for a person.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byId, id, json, paging, text, time } from '../wire.ts';

export const waitingCall = z.object({
  id,
  server: z.string().describe('mcp-servers/<name>@<version>'),
  tool: z.string(),
  arguments: z.record(z.string(), json),
  arguments_digest: z.string().describe('the approval is for these arguments alone'),
  agent: z.string().nullable().describe('agents/<name>, which makes the call; null: the caller itself'),
  through: z
    .array(z.string())
    .describe('the assets between the caller and the call, the calling agent first; empty: none'),
  caller: z.string().describe('for whom: an e-mail address, or a reference'),
  is_own: z.boolean(),
  wanted_by: z.array(z.string()).describe('whose configs want a person'),
  asked_at: time,
  expires_at: time.describe('the request and its approval end then'),
});
export type WaitingCall = z.output<typeof waitingCall>;

export const toolCallsEndpoints = {
  'tool_calls.waiting': {
    method: 'GET',
    path: '/api/v1/tool-calls/waiting',
    summary: 'Calls of tools that wait for your decision: of the servers of teams that you administer',
    operation: 'inbox.read',
    query: z.strictObject({ ...paging }),
    reply: { kind: 'list', status: 200, schema: waitingCall },
    problems: ['bad_cursor', 'memory_damaged'],
  },
  'tool_calls.decide': {
    method: 'POST',
    path: '/api/v1/tool-calls/{id}/decide',
    summary: 'Approve or reject one call of a tool. An approval works once, for this call alone, until it expires',
    operation: 'tool_call.decide',
    params: byId,
    body: z.strictObject({
      decision: z.enum(['approve', 'reject']),
      note: text.max(1000).optional().describe('a sentence for the agent, with a rejection'),
    }),
    reply: { kind: 'data', status: 200, schema: waitingCall },
    problems: ['own_request', 'already_decided', 'memory_damaged'],
  },
} as const satisfies Record<string, Endpoint>;
