import type { z } from 'zod';
import { contentTypes, frames_type, type Endpoint } from '../endpoint.ts';
import { needs } from '../needs.ts';
import { operations } from '../roles.ts';
import { headerParametersOf, successHeaders } from './headers.ts';
import { tagOf } from './nouns.ts';
import { refusals } from './refusals.ts';
import { inPlace, referTo, type Json } from './schemas.ts';

/** The envelope of the contract's schemas. */
export const wrapperSchemas: Record<string, Json> = {
  PageMeta: {
    type: 'object',
    properties: {
      next_cursor: { type: 'string', description: 'send it as `cursor`; absent on the last page' },
      total: { type: 'integer', description: 'rows of all pages; only with `total=true`' },
    },
  },
  AgentRun: {
    type: 'object',
    description: 'A running call',
    properties: { run_id: { type: 'string', format: 'uuid' }, status: { type: 'string' } },
    required: ['run_id', 'status'],
  },
};

export function operation(name: string, endpoint: Endpoint): Json {
  const rule = operations[endpoint.operation];
  return {
    operationId: name,
    tags: [tagOf(name)],
    summary: endpoint.summary,
    description: `Needs ${needs(rule)}.`,
    'x-needs': rule,
    security: rule.on === 'anyone' ? [] : [{ bearer: [] }],
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...headerParametersOf(endpoint),
    ],
    ...(endpoint.body === undefined ? {} : { requestBody: { required: true, content: requestContent(endpoint.body) } }),
    responses: { ...successes(endpoint), ...refusals(endpoint) },
  };
}

function parameters(where: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, shape]) => {
    const required = where === 'path' || !(shape as z.ZodType).safeParse(undefined).success; // a shape's values are schemas
    return { name, in: where, required, schema: inPlace(shape as z.ZodType) };
  });
}

function requestContent(body: NonNullable<Endpoint['body']>): Json {
  if (body === 'archive') return { 'application/gzip': { schema: { type: 'string', format: 'binary' } } };
  if (body === 'file') return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  if (body === 'frames') return { [frames_type]: { schema: { type: 'string', format: 'binary' } } };
  if (body === 'form')
    return { [contentTypes.form]: { schema: { type: 'object', additionalProperties: { type: 'string' } } } };
  if (body === 'raw') return { 'application/json': { schema: {} } };
  return { 'application/json': { schema: referTo(body) } };
}

function successes(endpoint: Endpoint): Json {
  const headers = successHeaders(endpoint);
  const { reply } = endpoint;
  if (reply.kind !== 'stream' && reply.kind !== 'passed') return { [reply.status]: { headers, ...success(reply) } };
  if (endpoint.surface === 'gateway' || endpoint.surface === 'gemini' || endpoint.surface === 'ollama')
    return { 200: { description: "The model's own answer", headers, content: modelContent } };
  if (endpoint.surface === 'a2a')
    return {
      200: { description: 'As the protocol has it', headers, content: a2aContent },
      default: { description: "A refusal of the protocol's own", content: { 'application/problem+json': {} } },
    };
  if (endpoint.surface === 'mcp')
    return {
      200: { description: 'As the protocol has it', headers, content: mcpContent },
      default: { description: "A refusal of the protocol's own", content: { 'application/json': {} } },
    };
  return {
    200: { description: "The agent's own answer", content: agentContent },
    202: {
      description: 'The call is still running; ask for the run with this id',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/AgentRun' } } },
    },
    default: { description: "The agent's own refusal", content: agentContent },
  };
}

const agentContent: Json = Object.fromEntries(
  ['application/json', 'application/problem+json', 'text/plain', 'text/event-stream'].map((type) => [type, {}]),
);

const a2aContent: Json = { 'application/json': {}, 'application/a2a+json': {}, 'text/event-stream': {} };

const mcpContent: Json = { 'application/json': {}, 'text/event-stream': {} };

const modelContent: Json = { 'application/json': {}, 'text/event-stream': {}, 'application/x-ndjson': {} };

function success(reply: Exclude<Endpoint['reply'], { kind: 'stream' | 'passed' }>): Json {
  switch (reply.kind) {
    case 'none':
      return { description: 'Done' };
    case 'events':
      return {
        description: 'A stream of events with this schema. A refusal ends it with an event `problem`',
        content: { 'text/event-stream': { schema: serverSentEvent(referTo(reply.schema)) } },
      };
    case 'lines':
      return {
        description: 'Lines of JSON, each with this schema',
        content: { 'application/x-ndjson': { schema: referTo(reply.schema) } },
      };
    case 'bare':
      return { description: 'Done', content: { 'application/json': { schema: referTo(reply.schema) } } };
    case 'data':
      return { description: 'Done', content: { 'application/json': { schema: envelope(referTo(reply.schema)) } } };
    case 'list': {
      const meta = { $ref: '#/components/schemas/PageMeta' };
      const list = envelope({ type: 'array', items: referTo(reply.schema) }, { meta });
      return { description: 'A page', content: { 'application/json': { schema: list } } };
    }
  }
}

function serverSentEvent(data: Json): Json {
  const json = { type: 'string', contentMediaType: 'application/json', contentSchema: data };
  return {
    type: 'object',
    properties: { id: { type: 'string' }, event: { type: 'string' }, data: json },
    required: ['data'],
  };
}

function envelope(data: Json, more: Json = {}): Json {
  return { type: 'object', properties: { data, ...more }, required: ['data'] };
}
