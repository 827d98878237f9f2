// OpenAPI 3.1, made from the same records that the server mounts.
import { z } from 'zod';
import { problemsOf, type Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { idempotencyKeyHours, idempotencyKeyPattern, takesIdempotencyKey } from './idempotency.ts';
import { problems } from './problems.ts';
import { operations } from './roles.ts';

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
      schemas: { Problem: problemSchema },
    },
  };
}

function operation(name: string, endpoint: Endpoint): Json {
  const rule = operations[endpoint.operation];
  return {
    operationId: name,
    tags: [name.split('.')[0]],
    summary: endpoint.summary,
    'x-needs': rule,
    security: rule.on === 'anyone' ? [] : [{ bearer: [] }],
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...(takesIdempotencyKey(endpoint) ? [idempotencyKey] : []),
    ],
    ...(endpoint.body === undefined ? {} : { requestBody: { required: true, content: requestContent(endpoint.body) } }),
    responses: { [endpoint.reply.status]: success(endpoint), ...refusals(endpoint) },
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

function requestContent(body: NonNullable<Endpoint['body']>): Json {
  if (body === 'archive') return { 'application/gzip': { schema: { type: 'string', format: 'binary' } } };
  if (body === 'raw') return { 'application/json': { schema: {} } };
  return { 'application/json': { schema: jsonSchema(body, 'input') } };
}

function success({ reply }: Endpoint): Json {
  switch (reply.kind) {
    case 'none':
      return { description: 'Done' };
    case 'raw':
      return {
        description: "The agent's own answer",
        content: { 'application/json': { schema: {} }, 'text/event-stream': { schema: {} } },
      };
    case 'events':
      return {
        description: 'A stream of events',
        content: { 'text/event-stream': { schema: jsonSchema(reply.schema, 'output') } },
      };
    case 'lines':
      return {
        description: 'A line of JSON each',
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

function refusals(endpoint: Endpoint): Json {
  const byStatus = Map.groupBy(problemsOf(endpoint), (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join(' · '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

function envelope(data: Json, more: Json = {}): Json {
  return { type: 'object', properties: { data, ...more }, required: ['data'] };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

const problemSchema: Json = {
  type: 'object',
  description: 'RFC 9457',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(problems) },
    detail: { type: 'string' },
    hint: { type: 'string' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { pointer: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};
