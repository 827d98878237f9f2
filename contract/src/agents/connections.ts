// What may act in the name of a person: their own credential at an MCP server with `as: user`, and the agents that they let use it. A person sees and
// changes only their own. A credential enters, and no endpoint answers it.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byId, byName, id, name, time } from '../wire.ts';

const consent = z.object({
  asset: z.string().describe('agents/<name>, or an orchestration through which agents are called'),
  calls: z.boolean().describe('it calls the server itself; false: an agent that it calls does'),
  writes: z.array(z.string()).describe('the tools for which the server does not say that they only read'),
  allowed_at: time,
});

export const connection = z.object({
  server: z.string().describe('mcp-servers/<name>'),
  address: z.string(),
  issuer: z.string().nullable().describe('the authorization server; null for an API key'),
  is_void: z.boolean().describe('the newest version of the server has another address: connect again'),
  connected_at: time,
  last_used_at: time.nullable(),
  expires_at: time.nullable().describe('of the access token; null: it has no end that the service knows'),
  is_refreshed: z.boolean().describe('the service gets a new token by itself'),
  agents: z.array(consent),
});
export type Connection = z.output<typeof connection>;

export const connectionAsk = z.object({
  id,
  server: z.string(),
  address: z.string(),
  agent: z.string().nullable().describe('agents/<name>, which wants to call as you; null: you have asked to connect'),
  through: z.array(z.string()).describe('the assets between you and the call, the calling agent first'),
  writes: z.array(z.string()).describe('its tools for which the server does not say that they only read'),
  is_connected: z.boolean(),
  link: z.string().describe('of the console; it works for you alone'),
  asked_at: time,
  expires_at: time,
});
export type ConnectionAsk = z.output<typeof connectionAsk>;

/** Sent in a header, so it has no spaces and no quotes. */
const apiKey = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]*$/, 'has a character that no key has')
  .meta({ writeOnly: true });

const clientDocument = z.object({
  client_id: z.string().describe('the address of this document'),
  client_uri: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.string(),
  application_type: z.string(),
});

const ask = { kind: 'data', status: 200, schema: connectionAsk } as const;

export const connectionsEndpoints = {
  'connections.show': {
    method: 'GET',
    path: '/api/v1/connections',
    summary: 'What may act in your name at MCP servers, and what asks for it',
    operation: 'connection.read',
    reply: {
      kind: 'data',
      status: 200,
      schema: z.object({ connections: z.array(connection), asks: z.array(connectionAsk) }),
    },
    problems: [],
  },
  'connections.ask': {
    method: 'POST',
    path: '/api/v1/connections/{name}/ask',
    summary: 'Make a link with which you connect to an MCP server',
    operation: 'connection.change',
    params: byName,
    reply: ask,
    problems: ['not_callable'],
  },
  'connections.set_key': {
    method: 'PUT',
    path: '/api/v1/connections/asks/{id}/key',
    summary: 'Connect with an API key of yours',
    operation: 'connection.change',
    params: byId,
    body: z.strictObject({ key: apiKey }),
    reply: ask,
    problems: ['link_used', 'not_callable'],
  },
  'connections.begin': {
    method: 'POST',
    path: '/api/v1/connections/asks/{id}/begin',
    summary: 'Begin the sign-in at the authorization server of an MCP server. It ends in the same session',
    operation: 'connection.change',
    params: byId,
    reply: {
      kind: 'data',
      status: 200,
      schema: z.object({ address: z.string().describe('of the sign-in page, for the browser') }),
    },
    problems: ['link_used', 'not_callable', 'connection_failed'],
  },
  'connections.finish': {
    method: 'POST',
    path: '/api/v1/connections/finish',
    summary: 'Finish the sign-in with what the authorization server has sent to the browser',
    operation: 'connection.change',
    body: z.strictObject({
      server: name.describe('of the address to which the browser was sent'),
      state: z.string().max(200),
      code: z.string().max(4096).optional(),
      iss: z.string().max(2000).optional(),
      error: z.string().max(200).optional(),
    }),
    reply: ask,
    problems: ['link_used', 'not_callable', 'connection_failed'],
  },
  'connections.client_document': {
    surface: 'oauth',
    method: 'GET',
    path: '/oauth/client/{name}',
    summary:
      'The client that the service is at the authorization server of an MCP server. The answer does not say whether there is one',
    operation: 'client.sign_in',
    params: byName,
    reply: { kind: 'bare', status: 200, schema: clientDocument },
    problems: [],
  },
  'connections.decide': {
    method: 'POST',
    path: '/api/v1/connections/asks/{id}/decide',
    summary: 'Let an agent act in your name at an MCP server, or not',
    operation: 'connection.change',
    params: byId,
    body: z.strictObject({ decision: z.enum(['allow', 'refuse']) }),
    reply: ask,
    problems: ['link_used', 'connection_needed'],
  },
  'connections.remove': {
    method: 'DELETE',
    path: '/api/v1/connections/{name}',
    summary: 'End your connection to an MCP server, at its authorization server too, or the consent for one agent',
    operation: 'connection.change',
    params: byName,
    query: z.strictObject({ asset: z.string().max(100).optional().describe('agents/<name>: end this consent alone') }),
    reply: {
      kind: 'data',
      status: 200,
      schema: z.object({
        is_revoked: z
          .boolean()
          .describe('the authorization server has ended the token too; false: it cannot, or did not answer'),
      }),
    },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
