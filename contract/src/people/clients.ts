// Programs of others that act for a person: clients of OAuth 2.1. A person allows one client one address of the Model Context Protocol, with scopes.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byId, id, name, time } from '../wire.ts';

/** What each scope lets a client do, in plain words. */
export const clientScopes = {
  tools: 'call its tools',
  read: 'read what you may read: agents, logs, runs, traces and the registry',
  change: 'change what you may change: deploy, stop and remove agents, call them, and ask for approvals',
} as const;
export type ClientScope = keyof typeof clientScopes;
const scope = z.enum(Object.keys(clientScopes) as [ClientScope, ...ClientScope[]]); // the keys of the table

const ofClient = {
  id,
  client_id: z.string().describe('as the client names itself; nobody has checked a name that is no address'),
  client_name: z.string().describe('what the client calls itself; not verified'),
  host: z.string().describe('where its document lies, or where a person is sent back'),
  resource: z.string().describe('the only address where its tokens count'),
  scopes: z.array(scope),
};

export const allowedClient = z.object({
  ...ofClient,
  allowed_at: time,
  last_used_at: time.nullable(),
  expires_at: time.describe('it signs in by itself until then; each refresh moves it on'),
});
export type AllowedClient = z.output<typeof allowedClient>;

export const clientAsk = z.object({
  ...ofClient,
  redirect_uri: z.string().describe('where the browser goes with the decision'),
  expires_at: time,
});
export type ClientAsk = z.output<typeof clientAsk>;

const given = z.string().max(2000);
/** The request of RFC 6749, section 4.1.1, with RFC 7636 and RFC 8707. */
export const authorizationRequest = z.strictObject({
  response_type: given,
  client_id: given,
  redirect_uri: given,
  code_challenge: given.default(''),
  code_challenge_method: given.default('plain'),
  resource: given.default(''),
  scope: given.default(''),
  state: given.optional(),
});
export type AuthorizationRequest = z.output<typeof authorizationRequest>;

export const protectedResource = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(scope),
  bearer_methods_supported: z.array(z.literal('header')),
});

const serverMetadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string(),
  revocation_endpoint: z.string(),
  scopes_supported: z.array(scope),
  response_types_supported: z.array(z.literal('code')),
  response_modes_supported: z.array(z.literal('query')),
  grant_types_supported: z.array(z.enum(['authorization_code', 'refresh_token'])),
  token_endpoint_auth_methods_supported: z.array(z.literal('none')),
  revocation_endpoint_auth_methods_supported: z.array(z.literal('none')),
  code_challenge_methods_supported: z.array(z.literal('S256')),
  authorization_response_iss_parameter_supported: z.literal(true),
  client_id_metadata_document_supported: z.literal(true),
});

/** RFC 7591. Members that the service does not use are ignored, as the standard says. */
const registration = z.object({
  redirect_uris: z.array(z.string().max(2000)).min(1).max(10),
  client_name: z.string().max(200).optional(),
});

const registered = registration.extend({
  client_id: z.string(),
  client_id_issued_at: z.int(),
  client_name: z.string(),
  token_endpoint_auth_method: z.literal('none'),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
});

const tokens = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string(),
  scope: z.string(),
});

/** For any sender: clients have no secret. */
const forAnyone = { surface: 'oauth', operation: 'client.sign_in' } as const;
const ofResource = {
  ...forAnyone,
  method: 'GET',
  reply: { kind: 'bare', status: 200, schema: protectedResource },
  problems: [],
} as const;

export const clientsEndpoints = {
  'clients.metadata': {
    ...forAnyone,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'The authorization server for clients of the Model Context Protocol (RFC 8414)',
    reply: { kind: 'bare', status: 200, schema: serverMetadata },
    problems: [],
  },
  'clients.control_resource': {
    ...ofResource,
    path: '/.well-known/oauth-protected-resource/mcp',
    summary: 'Where a client signs in for /mcp (RFC 9728)',
  },
  'clients.server_resource': {
    ...ofResource,
    path: '/.well-known/oauth-protected-resource/mcp/{name}',
    summary: 'Where a client signs in for the tools of an MCP server. The answer does not say whether there is one',
    params: z.strictObject({ name }),
  },
  'clients.agent_resource': {
    ...ofResource,
    path: '/.well-known/oauth-protected-resource/agents/{name}/mcp',
    summary: 'Where a client signs in for an agent. The answer does not say whether there is one',
    params: z.strictObject({ name }),
  },
  'clients.register': {
    ...forAnyone,
    method: 'POST',
    path: '/oauth/register',
    summary: 'Register a client (RFC 7591). One that nobody allows is forgotten after a day',
    body: registration,
    reply: { kind: 'bare', status: 201, schema: registered },
    problems: ['invalid_redirect_uri'],
  },
  'clients.token': {
    ...forAnyone,
    method: 'POST',
    path: '/oauth/token',
    summary: 'Exchange a code, or a refresh token, for tokens (RFC 6749). A refresh token works once',
    body: 'form',
    reply: { kind: 'bare', status: 200, schema: tokens },
    problems: ['invalid_grant', 'invalid_target', 'invalid_scope', 'unsupported_grant_type'],
  },
  'clients.revoke': {
    ...forAnyone,
    method: 'POST',
    path: '/oauth/revoke',
    summary: 'End what the token belongs to (RFC 7009). The answer does not say whether there was one',
    body: 'form',
    reply: { kind: 'bare', status: 200, schema: z.object({}) },
    problems: [],
  },
  'clients.ask': {
    method: 'POST',
    path: '/api/v1/clients/asks',
    summary: 'Check the request with which a client has opened the browser. The decision counts in the same session',
    operation: 'client.change',
    body: authorizationRequest,
    reply: { kind: 'data', status: 200, schema: clientAsk },
    problems: ['invalid_client', 'invalid_redirect_uri', 'invalid_target', 'invalid_scope'],
  },
  'clients.decide': {
    method: 'POST',
    path: '/api/v1/clients/asks/{id}/decide',
    summary: 'Let a client act for you at one address, or not',
    operation: 'client.change',
    params: byId,
    body: z.strictObject({
      decision: z.enum(['allow', 'refuse']),
      scopes: z.array(scope).min(1).optional().describe('fewer than the client asks for; without it, all of them'),
    }),
    reply: {
      kind: 'data',
      status: 200,
      schema: z.object({ address: z.string().describe('of the client, for the browser') }),
    },
    problems: ['invalid_scope'],
  },
  'clients.list': {
    method: 'GET',
    path: '/api/v1/clients',
    summary: 'The programs that act for you',
    operation: 'client.read',
    reply: { kind: 'data', status: 200, schema: z.array(allowedClient) },
    problems: [],
  },
  'clients.remove': {
    method: 'DELETE',
    path: '/api/v1/clients/{id}',
    summary: 'End what a program does for you: all its tokens, at once',
    operation: 'client.change',
    params: byId,
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
