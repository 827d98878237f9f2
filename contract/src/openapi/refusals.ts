// An endpoint's refusals: one response per status, whose description lists the codes. A response that several endpoints share
// is a component.
import { problemsOf, type Endpoint } from '../endpoint.ts';
import { describedEndpoints } from './described.ts';
import { problems, type ProblemCode } from '../problems.ts';
import { refusalHeaders } from './headers.ts';
import { pascal, type Json } from './schemas.ts';

export const problemSchemas: Record<string, Json> = {
  Problem: problemSchema({ enum: Object.keys(problems) }),
  // An agent's refusal, which can have codes of its own.
  AgentProblem: problemSchema({}),
  ModelProblem: {
    type: 'object',
    description: 'As the clients of model vendors read it',
    required: ['type', 'error'],
    properties: {
      type: { const: 'error' },
      error: {
        type: 'object',
        required: ['type', 'code', 'message'],
        properties: { type: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
      request_id: { type: 'string' },
    },
  },
  OAuthProblem: {
    type: 'object',
    description: 'As RFC 6749 has it, section 5.2',
    required: ['error', 'error_description'],
    properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  },
  OllamaProblem: {
    type: 'object',
    description: "As Ollama's clients read it",
    required: ['error', 'code'],
    properties: { error: { type: 'string' }, code: { type: 'string' }, request_id: { type: 'string' } },
  },
  GoogleProblem: {
    type: 'object',
    description: "As Gemini's clients read it",
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: {
          code: { type: 'integer', description: 'the status of HTTP' },
          message: { type: 'string' },
          status: { type: 'string', description: 'such as `RESOURCE_EXHAUSTED`' },
          details: { type: 'array', items: { type: 'object' }, description: 'the first has the code as `reason`' },
        },
      },
    },
  },
};

export function refusals(endpoint: Endpoint): Json {
  return Object.fromEntries(
    refusalsOf(endpoint).map(({ status, name, response }) => [
      status,
      shared.has(name) ? { $ref: `#/components/responses/${name}` } : response,
    ]),
  );
}

export function sharedRefusals(): Record<string, Json> {
  return Object.fromEntries(shared);
}

const shared = findShared();

function findShared(): Map<string, Json> {
  const all = describedEndpoints.flatMap(([, endpoint]) => refusalsOf(endpoint));
  const byName = Map.groupBy(all, ({ name }) => name);
  return new Map(
    [...byName].flatMap(([name, [first, ...more]]) => (first && more.length > 0 ? [[name, first.response]] : [])),
  );
}

interface ProblemExample {
  status: number;
  name: string;
  response: Json;
}

function refusalsOf(endpoint: Endpoint): ProblemExample[] {
  const { schema, suffix, type } = shapeOf(endpoint);
  const byStatus = Map.groupBy(problemsOf(endpoint), (code) => problems[code].status);
  return [...byStatus].map(([status, codes]) => ({
    status,
    name: `${codes.map(pascal).join('Or')}${suffix}`,
    response: {
      description: codes.map(describe).join(' · '),
      headers: refusalHeaders(codes),
      content: {
        [type]: { schema: { $ref: `#/components/schemas/${schema}` } },
        // An error of JSON-RPC has a status of HTTP too.
        ...(endpoint.surface === 'mcp' && { 'application/json': {} }),
      },
    },
  }));
}

function shapeOf({ surface, reply }: Endpoint): { schema: string; suffix: string; type: string } {
  if (surface === 'gateway') return { schema: 'ModelProblem', suffix: 'ByGateway', type: 'application/json' };
  if (surface === 'gemini') return { schema: 'GoogleProblem', suffix: 'ByGemini', type: 'application/json' };
  if (surface === 'ollama') return { schema: 'OllamaProblem', suffix: 'ByOllama', type: 'application/json' };
  if (surface === 'oauth') return { schema: 'OAuthProblem', suffix: 'ByOAuth', type: 'application/json' };
  const type = 'application/problem+json';
  if (surface === 'mcp') return { schema: 'AgentProblem', suffix: 'ByMcp', type };
  return reply.kind === 'stream' || reply.kind === 'passed'
    ? { schema: 'AgentProblem', suffix: 'ByAgent', type }
    : { schema: 'Problem', suffix: '', type };
}

function describe(code: ProblemCode): string {
  return `\`${code}\`: ${problems[code].title}`;
}

function problemSchema(code: Json): Json {
  return {
    type: 'object',
    description: 'RFC 9457',
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      code: { type: 'string', ...code },
      detail: { type: 'string' },
      hint: { type: 'string', description: 'the next step' },
      request_id: { type: 'string' },
      errors: {
        type: 'array',
        items: { type: 'object', properties: { pointer: { type: 'string' }, message: { type: 'string' } } },
      },
    },
  };
}
