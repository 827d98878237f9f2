// A span as a collector gets it, under OpenTelemetry's names for generative AI. These names are still in development: this file has them all.
// Promise: a sum over `gen_ai.usage.*` counts each token once. The gateway's span has the usage of a call through it, and no other span.
import type { SpanKind, SpanSource } from '@gantry/contract/models/traces.ts';
import type { Attributes, Resource, Sent } from './encode-otlp.ts';
import type { Span } from './span.ts';

export const schema_url = 'https://opentelemetry.io/schemas/gen-ai/1.42.0';

/** The names behind the ids of a span. */
export interface AgentLabels {
  agent: string;
  team: string;
  /** Null for a span of no revision, such as a deploy's. */
  version: string | null;
}

interface Sending {
  has_content: boolean;
  labels: AgentLabels | undefined;
}

/** Each agent is a service of its own. Calls to models without an agent are the service's. */
export function resourceOf({ agent_id }: Span, labels: AgentLabels | undefined, version: string): Resource {
  if (labels === undefined) return known({ 'service.name': 'gantry', 'service.version': version });
  return known({
    'service.name': labels.agent,
    'service.namespace': labels.team,
    'service.version': labels.version,
    'svc.agent.id': agent_id,
  });
}

export function sentOf(span: Span, sending: Sending): Sent {
  const { trace_id, span_id, parent_id, name, started_us, ended_us, status, error, source } = span;
  const times = { started_us, ended_us };
  const attributes = { ...factsOf(span), ...attributesOf(span, sending) };
  const events = source === 'agent' && status === 'error' ? [exceptionOf(span, sending)] : [];
  return {
    trace_id,
    span_id,
    parent_id,
    name,
    ...times,
    status,
    error,
    kind: kindOfSource[source],
    attributes,
    events,
  };
}

const kindOfSource: Readonly<Record<SpanSource, Sent['kind']>> = {
  ingress: 'server',
  gateway: 'client',
  deploy: 'internal',
  agent: 'internal',
};

const operations: Readonly<Partial<Record<SpanKind, string>>> = {
  llm: 'chat',
  embedding: 'embeddings',
  tool: 'execute_tool',
  agent: 'invoke_agent',
  retriever: 'retrieval',
};

/** Where the conventions have another name than we, langchain or litellm. */
const providers: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  azure_openai: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  amazon_bedrock: 'aws.bedrock',
  google_genai: 'gcp.gemini',
  gemini: 'gcp.gemini',
  google_vertexai: 'gcp.vertex_ai',
  vertex_ai: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  mistralai: 'mistral_ai',
  xai: 'x_ai',
};

/** Older names of the libraries in the agents. */
const newest: Readonly<Record<string, string>> = {
  'llm.finish_reason': 'gen_ai.response.finish_reasons',
  'llm.token_count.prompt_details.cache_read': 'gen_ai.usage.cache_read.input_tokens',
  'session.id': 'gen_ai.conversation.id',
  'tool.name': 'gen_ai.tool.name',
};

/** A client's call through the gateway is metered there. A chain of crewai has the sum of its calls. */
function hasUsage({ source, kind, attributes }: Span): boolean {
  if (source === 'gateway') return true;
  return (kind === 'llm' || kind === 'embedding') && attributes['svc.metered'] !== true;
}

function factsOf(span: Span): Attributes {
  const facts = Object.entries(span.attributes).map(([name, value]) => {
    const renamed = newest[name] ?? name;
    const isOfList = renamed === 'gen_ai.response.finish_reasons' && typeof value === 'string';
    return [renamed, isOfList ? [value] : value] as const;
  });
  return Object.fromEntries(facts.filter(([name]) => !name.startsWith('gen_ai.usage.') || hasUsage(span)));
}

function attributesOf(span: Span, { has_content, labels }: Sending): Attributes {
  const { kind, source, provider, cost_nano_usd } = span;
  const isModel = kind === 'llm' || kind === 'embedding';
  const isCall = source === 'ingress' && labels !== undefined;
  return known({
    'svc.source': source,
    'svc.agent.id': span.agent_id,
    'svc.revision.id': span.revision_id,
    'svc.run.id': span.run_id,
    'svc.team.id': span.team_id,
    'svc.caller.id': span.caller_id,
    'svc.cost_usd': cost_nano_usd === null ? null : cost_nano_usd / 1e9,
    'error.type': span.error,
    'gen_ai.operation.name': String(span.attributes['gen_ai.operation.name'] ?? operations[kind] ?? '') || null,
    'gen_ai.provider.name': provider === null ? null : (providers[provider.toLowerCase()] ?? provider.toLowerCase()),
    'gen_ai.request.model': isModel && span.attributes['gen_ai.request.model'] === undefined ? span.model : null,
    'gen_ai.response.model': span.status === 'ok' ? span.model : null,
    'gen_ai.agent.name': isCall ? labels.agent : null,
    'gen_ai.agent.id': isCall ? span.agent_id : null,
    'gen_ai.agent.version': isCall ? labels.version : null,
    'gen_ai.usage.input_tokens': hasUsage(span) ? span.input_tokens : null,
    'gen_ai.usage.output_tokens': hasUsage(span) ? span.output_tokens : null,
    // An attribute of OpenInference, which Phoenix draws.
    'openinference.span.kind': kind === 'http' || kind === 'step' ? 'CHAIN' : kind.toUpperCase(),
    'input.value': has_content ? span.input : null,
    'output.value': has_content ? span.output : null,
  });
}

/** The exception of a failed span, with the span's output as its message. */
function exceptionOf({ ended_us, error, output }: Span, { has_content }: Sending): Sent['events'][number] {
  const attributes = known({ 'exception.type': error, 'exception.message': has_content ? output : null });
  return { name: 'exception', at_us: ended_us, attributes };
}

function known(given: Readonly<Record<string, string | number | null>>): Attributes {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string | number] => entry[1] !== null),
  );
}
