// OpenAPI 3.1, made from the same records that the server mounts.
import { z } from 'zod';
import { problemsOf, type Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { idempotencyKeyHours, idempotencyKeyPattern, takesIdempotencyKey } from './idempotency.ts';
import { problems } from './problems.ts';
import { operations } from './roles.ts';
import { name } from './wire.ts';

type Json = Record<string, unknown>;

export function openapi(base_url: string, version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method.toLowerCase()] = operation(name, endpoint);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Gantry', version, description: 'Deploys, governs and registers agents.' },
    servers: [{ url: base_url }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Problem: problemSchema(Object.keys(problems)), AgentProblem: problemSchema() },
    },
  };
}

function operation(id: string, endpoint: Endpoint): Json {
  const rule = operations[endpoint.operation];
  return {
    operationId: id,
    tags: [id.split('.')[0]],
    summary: endpoint.summary,
    'x-needs': rule,
    security: rule.on === 'anyone' ? [] : [{ bearer: [] }],
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...(rule.on === 'anyone' ? [] : [activeTeam]),
      ...(takesIdempotencyKey(endpoint) ? [idempotencyKey] : []),
      ...(endpoint.reply.kind === 'events' ? [lastEventId] : []),
    ],
    ...(endpoint.body === undefined ? {} : { requestBody: { required: true, content: requestContent(endpoint.body) } }),
    responses: { ...successes(endpoint), ...refusals(endpoint) },
  };
}

function parameters(where: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, shape]) => {
    const required = where === 'path' || !(shape as z.ZodType).safeParse(undefined).success; // a shape's values are schemas
    return { name, in: where, required, schema: jsonSchema(shape as z.ZodType, 'input') };
  });
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Sent again with the same key within ${idempotencyKeyHours} hours, the request is done once: its answer is given again, with the header Idempotency-Replayed and without what is shown once.`,
  schema: { type: 'string', pattern: idempotencyKeyPattern.source },
};

const activeTeam: Json = {
  name: 'X-Service-Team',
  in: 'header',
  required: false,
  description: 'The team to act in, one of your own; your primary team when absent.',
  schema: jsonSchema(name, 'input'),
};

const lastEventId: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last event that was read: the stream goes on after it.',
  schema: { type: 'string' },
};

function requestContent(body: NonNullable<Endpoint['body']>): Json {
  if (body === 'archive') return { 'application/gzip': { schema: { type: 'string', format: 'binary' } } };
  if (body === 'raw') return { 'application/json': { schema: {} } };
  return { 'application/json': { schema: jsonSchema(body, 'input') } };
}

function successes(endpoint: Endpoint): Json {
  if (endpoint.reply.kind !== 'raw') return { [endpoint.reply.status]: success(endpoint.reply) };
  return {
    200: { description: "The agent's own answer", content: agentContent },
    202: { description: 'It goes on; ask for the run of this id', content: { 'application/json': { schema: goesOn } } },
    default: { description: "The agent's own refusal", content: agentContent },
  };
}

const agentContent: Json = Object.fromEntries(
  ['application/json', 'application/problem+json', 'text/plain', 'text/event-stream'].map((type) => [type, {}]),
);
const goesOn: Json = {
  type: 'object',
  properties: { run_id: { type: 'string', format: 'uuid' }, status: { type: 'string' } },
  required: ['run_id', 'status'],
};

function success(reply: Exclude<Endpoint['reply'], { kind: 'raw' }>): Json {
  switch (reply.kind) {
    case 'none':
      return { description: 'Done' };
    case 'events':
      return {
        description: 'A stream of events; the schema is that of one',
        content: { 'text/event-stream': { schema: serverSentEvent(jsonSchema(reply.schema, 'output')) } },
      };
    case 'lines':
      return {
        description: 'Lines of JSON; the schema is that of one',
        content: { 'application/x-ndjson': { schema: jsonSchema(reply.schema, 'output') } },
      };
    case 'bare':
      return { description: 'Done', content: { 'application/json': { schema: jsonSchema(reply.schema, 'output') } } };
    case 'data':
      return {
        description: 'Done',
        content: { 'application/json': { schema: envelope(jsonSchema(reply.schema, 'output')) } },
      };
    case 'list': {
      const meta = { type: 'object', properties: { next_cursor: { type: 'string' } } };
      const list = envelope({ type: 'array', items: jsonSchema(reply.schema, 'output') }, { meta });
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

function refusals(endpoint: Endpoint): Json {
  const schema = endpoint.reply.kind === 'raw' ? 'AgentProblem' : 'Problem';
  const content = { 'application/problem+json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  const byStatus = Map.groupBy(problemsOf(endpoint), (code) => problems[code].status);
  const described: Json = {};
  for (const [status, codes] of byStatus) {
    const description = codes.map((code) => `\`${code}\`: ${problems[code].title}`).join(' · ');
    described[status] = { description, content };
  }
  return described;
}

function envelope(data: Json, more: Json = {}): Json {
  return { type: 'object', properties: { data, ...more }, required: ['data'] };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

/** Without `codes`: of an agent, which has codes of its own besides. */
function problemSchema(codes?: string[]): Json {
  return {
    type: 'object',
    description: 'RFC 9457',
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      code: { type: 'string', ...(codes === undefined ? {} : { enum: codes }) },
      detail: { type: 'string' },
      hint: { type: 'string' },
      request_id: { type: 'string' },
      errors: {
        type: 'array',
        items: { type: 'object', properties: { pointer: { type: 'string' }, message: { type: 'string' } } },
      },
    },
  };
}
