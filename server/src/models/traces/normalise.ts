// Spans of an agent's instrumentation in the one model. Each library has names of its own for the same facts: OpenInference, OpenLLMetry, and
// the conventions of OpenTelemetry for generative AI. A span of no known dialect is a step of a chain.
import type { SpanKind } from '@gantry/contract/models/traces.ts';
import { z } from 'zod';
import type { Span, SpanOwner } from './span.ts';

const anyValue = z.object({
  stringValue: z.string().optional(),
  boolValue: z.boolean().optional(),
  intValue: z.union([z.string(), z.number()]).optional(),
  doubleValue: z.number().optional(),
  arrayValue: z.object({ values: z.array(z.unknown()).default([]) }).optional(),
});
const attributeList = z.array(z.object({ key: z.string(), value: z.unknown() })).default([]);
// A client may give null for no value, and the numbers of 64 bits as text.
const nanoseconds = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().int().min(0)])
  .transform(BigInt)
  .refine((time) => time < 2n ** 63n);
const otlpSpan = z.object({
  traceId: z
    .string()
    .toLowerCase()
    .regex(/^(?!0*$)[0-9a-f]{32}$/),
  spanId: z
    .string()
    .toLowerCase()
    .regex(/^(?!0*$)[0-9a-f]{16}$/),
  parentSpanId: z.string().toLowerCase().nullish(),
  name: z.string(),
  kind: z.number().nullish(),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes: attributeList,
  events: z.array(z.object({ name: z.string().default(''), attributes: attributeList })).default([]),
  status: z.object({ code: z.number().nullish(), message: z.string().nullish() }).nullish(),
});

/** An `ExportTraceServiceRequest` of OTLP in its JSON form, with ids in hexadecimal. */
const otlpRequest = z.object({
  resourceSpans: z
    .array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(z.unknown()).default([]) })).default([]) }))
    .default([]),
});

export interface Normalised {
  spans: Span[];
  /** Spans without a valid id or time. */
  rejected: number;
}

/**
 * The spans of a request. `owner` comes from the sender's credential, and nothing of it from the request. Throws a ZodError for another document.
 */
export function spansOf(request: unknown, owner: SpanOwner): Normalised {
  const given = otlpRequest
    .parse(request)
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  const spans = given.flatMap((span) => {
    const read = otlpSpan.safeParse(span);
    return read.success ? [spanOf(read.data, owner)] : [];
  });
  return { spans, rejected: given.length - spans.length };
}

type Value = string | number | boolean | (string | number | boolean)[];
type Attributes = ReadonlyMap<string, Value>;

function spanOf(given: z.output<typeof otlpSpan>, owner: SpanOwner): Span {
  const attributes = readAttributes(given.attributes);
  const exception = readAttributes(given.events.findLast(({ name }) => name === 'exception')?.attributes ?? []);
  const hasFailed = given.status?.code === failed_code;
  const kind = kindOf(attributes);
  const model = kind === 'llm' || kind === 'embedding' ? text(attributes, names.model) : null;
  return {
    ...owner,
    trace_id: given.traceId,
    span_id: given.spanId,
    parent_id: /^(?!0*$)[0-9a-f]{16}$/.test(given.parentSpanId ?? '') ? (given.parentSpanId ?? null) : null,
    name: given.name,
    kind,
    source: 'agent',
    started_us: Number(given.startTimeUnixNano / 1000n),
    ended_us: Number(given.endTimeUnixNano / 1000n),
    status: hasFailed ? 'error' : 'ok',
    model,
    provider: model === null ? null : text(attributes, names.provider),
    input_tokens: count(attributes, names.input_tokens),
    output_tokens: count(attributes, names.output_tokens),
    // The gateway knows the cost.
    cost_nano_usd: null,
    input: text(attributes, names.input) ?? gathered(attributes, names.inputs),
    output:
      text(attributes, names.output) ??
      gathered(attributes, names.outputs) ??
      (hasFailed ? (text(exception, ['exception.message']) ?? given.status?.message ?? null) : null),
    error: hasFailed ? (text(exception, ['exception.type']) ?? text(attributes, ['error.type']) ?? 'error') : null,
    attributes: Object.fromEntries(
      facts.flatMap((name) => (attributes.has(name) ? [[name, attributes.get(name) ?? '']] : [])),
    ),
  };
}

const failed_code = 2;

/** The first present one counts. */
const names = {
  model: [
    'gen_ai.response.model',
    'gen_ai.request.model',
    'llm.model_name',
    'embedding.model_name',
    'reranker.model_name',
  ],
  provider: ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system'],
  input_tokens: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'],
  output_tokens: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.token_count.completion'],
  input: ['input.value', 'gen_ai.input.messages', 'gen_ai.tool.call.arguments', 'traceloop.entity.input'],
  output: ['output.value', 'gen_ai.output.messages', 'gen_ai.tool.call.result', 'traceloop.entity.output'],
  inputs: ['llm.input_messages.', 'gen_ai.prompt.'],
  outputs: ['llm.output_messages.', 'gen_ai.completion.'],
};

/** Attributes without content. All others are dropped. */
const facts = [
  'gen_ai.operation.name',
  'gen_ai.agent.name',
  'gen_ai.tool.name',
  'gen_ai.tool.call.id',
  'gen_ai.task.name',
  'gen_ai.conversation.id',
  'gen_ai.request.model',
  'gen_ai.request.temperature',
  'gen_ai.response.finish_reasons',
  'gen_ai.response.id',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_read.input_tokens',
  'graph.node.id',
  'graph.node.name',
  'graph.node.parent_id',
  'llm.finish_reason',
  'llm.token_count.prompt_details.cache_read',
  'session.id',
  // The gateway counts the tokens of this call.
  'svc.metered',
  'tool.name',
  'traceloop.entity.name',
  'traceloop.workflow.name',
  'http.request.method',
  'http.response.status_code',
  'server.address',
];

const kinds: readonly { name: string; kinds: Readonly<Record<string, SpanKind>> }[] = [
  {
    name: 'openinference.span.kind',
    kinds: {
      llm: 'llm',
      chain: 'chain',
      agent: 'agent',
      tool: 'tool',
      retriever: 'retriever',
      reranker: 'retriever',
      embedding: 'embedding',
      guardrail: 'guardrail',
      evaluator: 'guardrail',
      prompt: 'chain',
    },
  },
  {
    name: 'gen_ai.operation.name',
    kinds: {
      chat: 'llm',
      text_completion: 'llm',
      generate_content: 'llm',
      embeddings: 'embedding',
      execute_tool: 'tool',
      invoke_agent: 'agent',
      create_agent: 'agent',
      retrieval: 'retriever',
    },
  },
  { name: 'traceloop.span.kind', kinds: { workflow: 'chain', task: 'chain', agent: 'agent', tool: 'tool' } },
  { name: 'llm.request.type', kinds: { chat: 'llm', completion: 'llm', embedding: 'embedding', rerank: 'retriever' } },
];

function kindOf(attributes: Attributes): SpanKind {
  for (const { name, kinds: known } of kinds) {
    const kind = Object.entries(known).find(([word]) => word === text(attributes, [name])?.toLowerCase())?.[1];
    if (kind !== undefined) return kind;
  }
  return attributes.has('http.request.method') || attributes.has('http.method') ? 'http' : 'chain';
}

function readAttributes(given: z.output<typeof attributeList>): Attributes {
  return new Map(
    given.flatMap(({ key, value }) => {
      const read = readValue(value);
      return read === undefined ? [] : [[key, read] as const];
    }),
  );
}

/** Undefined for bytes, objects and nothing. */
function readValue(given: unknown): Value | undefined {
  const read = anyValue.safeParse(given);
  if (!read.success) return undefined;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue } = read.data;
  if (arrayValue !== undefined)
    return arrayValue.values.flatMap((one) => {
      const value = readValue(one);
      return value === undefined || Array.isArray(value) ? [] : [value];
    });
  return stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue));
}

function text(attributes: Attributes, given: readonly string[]): string | null {
  const value = given.map((name) => attributes.get(name)).find((one) => typeof one === 'string' && one !== '');
  return typeof value === 'string' ? value : null;
}

function count(attributes: Attributes, given: readonly string[]): number | null {
  const value = given.map((name) => attributes.get(name)).find((one) => Number.isSafeInteger(one) && Number(one) >= 0);
  return typeof value === 'number' ? value : null;
}

/** Messages that have an attribute for each of their members. */
function gathered(attributes: Attributes, prefixes: readonly string[]): string | null {
  for (const prefix of prefixes) {
    const members = [...attributes].filter(([name]) => name.startsWith(prefix));
    if (members.length > 0)
      return JSON.stringify(Object.fromEntries(members.map(([name, value]) => [name.slice(prefix.length), value])));
  }
  return null;
}
