// One HTTP operation, described once. The server mounts it, the client calls it, OpenAPI and the docs print it.
import type { z } from 'zod';
import { takesIdempotencyKey } from './idempotency.ts';
import { commonProblems, type ProblemCode } from './problems.ts';
import type { Operation } from './roles.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The reply of an endpoint without a refusal.
 * - `data`    `{data}`
 * - `list`    `{data: [...], meta: {next_cursor, total}}`
 * - `bare`    the schema itself, without an envelope
 * - `events`  server-sent events, each `data:` of this schema, ids resumable with `Last-Event-ID`; a refusal ends them as
 * one last event `problem` with a problem document
 * - `lines`   newline-delimited JSON, each line of this schema; its last line shows that it is complete
 * - `none`    204
 * - `stream`  server-sent events in a form of their own, or one answer; a silent stream is kept open with comments
 * - `passed`  the answer of an agent or a model, unchanged
 */
type ReplyShape =
  | { kind: 'data'; status: 200 | 201 | 202; schema: z.ZodType }
  | { kind: 'list'; status: 200; schema: z.ZodType }
  | { kind: 'bare'; status: 200 | 201; schema: z.ZodType }
  | { kind: 'events'; status: 200; schema: z.ZodType }
  | { kind: 'lines'; status: 200; schema: z.ZodType }
  | { kind: 'none'; status: 204 }
  | { kind: 'stream'; status: 200 }
  | { kind: 'passed'; status: 200 };

/** The event that ends a stream whose reader has lost the permission. */
export const refusal_event = 'problem';

/**
 * The request's body: absent, JSON of a schema, a packed project (`application/gzip`, tar), any file (`application/octet-stream`), an agent's unchanged JSON, or a line of JSON and then bytes
 * (`application/vnd.gantry.frames`), or an HTML form (`application/x-www-form-urlencoded`).
 */
export type BodyShape = z.ZodType | 'archive' | 'file' | 'raw' | 'frames' | 'form';

export const frames_type = 'application/vnd.gantry.frames';

/** Of the bodies that are no JSON of a schema. */
export const contentTypes = {
  archive: 'application/gzip',
  file: 'application/octet-stream',
  raw: 'application/json',
  frames: frames_type,
  form: 'application/x-www-form-urlencoded',
} as const;

/**
 * The kind of an endpoint: its refusals, its limits, and its ways to authenticate a caller.
 * - `api`      for programs that manage the service
 * - `ingress`  the calls to agents
 * - `a2a`      the calls to agents in the Agent2Agent protocol, with its form of a refusal
 * - `langgraph` the calls to agents in the API of langgraph's SDKs
 * - `gateway`  the calls to models, with refusals in the shape of OpenAI and Anthropic
 * - `gemini`   the calls to models by clients of Gemini, likewise in Google's shape
 * - `ollama`   the calls to models by clients of Ollama, likewise in its shape
 * - `memory`   what agents keep between calls, at the door of the agents
 * - `prompts`  what an agent reads of its own prompts, at the door of the agents
 * - `mcp`      servers of the Model Context Protocol: for agents at their door, for people and programs at the address of the service
 * - `oauth`    for clients of others that sign in, with the form of a refusal of OAuth
 * - `hooks`    for systems of others that say that something has changed; what is sent proves itself
 * - `probes`   for monitors of the process
 */
export type SurfaceName =
  | 'api'
  | 'ingress'
  | 'a2a'
  | 'langgraph'
  | 'gateway'
  | 'gemini'
  | 'ollama'
  | 'memory'
  | 'prompts'
  | 'mcp'
  | 'oauth'
  | 'hooks'
  | 'probes';

export interface Endpoint {
  /** `api` when absent. */
  surface?: SurfaceName;
  method: Method;
  /** Path with `{parameters}`, as OpenAPI writes it. */
  path: `/${string}`;
  summary: string;
  /** The permission that it needs; roles.ts says who has it. */
  operation: Operation;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: BodyShape;
  /** An Idempotency-Key names the run: a repeat gets the same one. */
  names_run?: true;
  reply: ReplyShape;
  /** Its own refusals; `problemsOf` adds the common ones. */
  problems: readonly ProblemCode[];
}

/** Of a gateway key that may call an agent. */
export const ofKeysForAgents = ['invalid_api_key', 'key_paused', 'model_not_allowed'] as const;

/** All its refusals. */
export function problemsOf(endpoint: Endpoint): ProblemCode[] {
  const keyed = takesIdempotencyKey(endpoint) ? (['idempotency_conflict'] as const) : [];
  // Every change can race with the removal of a row that it refers to.
  const changing = endpoint.method === 'GET' ? [] : (['conflict'] as const);
  const of_key = endpoint.surface === 'langgraph' ? ofKeysForAgents : [];
  return [...new Set([...commonProblems, ...changing, ...keyed, ...of_key, ...endpoint.problems])];
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type Sent<T> = T extends z.ZodType ? z.input<T> : undefined;
type BodyParsed<B> = B extends 'archive' | 'file'
  ? ReadableStream<Uint8Array>
  : B extends 'raw' | 'frames' | 'form'
    ? Uint8Array
    : Parsed<B>;
type BodySent<B> = B extends 'archive' | 'file' | 'raw' | 'frames' | 'form'
  ? Uint8Array | ReadableStream<Uint8Array>
  : Sent<B>;

/** The input of a handler: every part parsed. */
export interface Parts<E extends Endpoint> {
  params: Parsed<E['params']>;
  query: Parsed<E['query']>;
  body: BodyParsed<E['body']>;
}

/** A client's input: only the parts that the endpoint has. */
export type Sending<E extends Endpoint> = (E['params'] extends z.ZodType ? { params: Sent<E['params']> } : object) &
  (E['query'] extends z.ZodType ? { query?: Sent<E['query']> } : object) &
  (E['body'] extends BodyShape ? { body: BodySent<E['body']> } : object);

export interface Page<Item> {
  items: Item[];
  /** Pass it back as `cursor`; absent on the last page. */
  next_cursor?: string;
  /** The number of rows on all pages; only where the query asks for it. */
  total?: number;
}

/** One server-sent event; `id` lets a reader resume. */
export interface StreamEvent<Data> {
  id?: string;
  event?: string;
  data: Data;
}

/** The output of a handler and the input of a client, by the reply's shape. */
export type Answer<E extends Endpoint> = E['reply'] extends { kind: 'data' | 'bare'; schema: infer S extends z.ZodType }
  ? z.output<S>
  : E['reply'] extends { kind: 'list'; schema: infer S extends z.ZodType }
    ? Page<z.output<S>>
    : E['reply'] extends { kind: 'events'; schema: infer S extends z.ZodType }
      ? AsyncIterable<StreamEvent<z.output<S>>>
      : E['reply'] extends { kind: 'lines'; schema: infer S extends z.ZodType }
        ? AsyncIterable<z.output<S>>
        : E['reply'] extends { kind: 'stream' | 'passed' }
          ? Response
          : void;
