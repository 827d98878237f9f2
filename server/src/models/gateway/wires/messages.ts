// Anthropic's messages, and the count of their tokens.
import { z } from 'zod';
import type { Usage } from '../prices/rates.ts';
import { anthropicDocument } from './document-forms.ts';
import { messageEvents } from './message-events.ts';
import { fileIn, unpricedTier } from './priced-members.ts';
import {
  costsNothing,
  boundInput,
  count,
  invalid,
  isAddress,
  isJson,
  listOf,
  membersOutside,
  nameOf,
  refuseOwn,
  split,
  typeOf,
  type AskedOfModel,
  type Json,
  type Wire,
  withTemperature,
} from './wire.ts';

export const messages: Wire = {
  kind: 'anthropic',
  path: '/messages',
  passed_headers: ['anthropic-version', 'anthropic-beta'],
  read,
  write: (body, model, limit) => ({
    ...withTemperature(body, limit),
    model: model.upstream_model,
    ...(limit.is_limited && { max_tokens: limit.output_tokens }),
  }),
  countsIn,
  usageOf,
  isOnlyUsage: () => false,
  isCut: ({ stop_reason }) => stop_reason === 'max_tokens',
  document: anthropicDocument,
  events: messageEvents,
  printBreak: ({ detail }) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'api_error', message: detail } })}\n\n`,
};

/** It costs nothing, and it counts as a request. */
export const countTokens: Wire = {
  ...messages,
  path: '/messages/count_tokens',
  read: (body) => {
    refuseOwn(body);
    const parsed = counted.safeParse(body);
    if (!parsed.success) throw invalid(parsed.error.issues);
    return {
      model: parsed.data.model,
      ...costsNothing,
    };
  },
  write: (body, model) => ({ ...body, model: model.upstream_model }),
  countsIn: () => ({}),
  usageOf: () => ({}),
};

const blocks = z.union([z.string(), z.array(z.object({}))]);
const counted = z.object({
  model: z.string().min(1).max(200),
  messages: z.array(z.object({ role: z.string(), content: blocks })).min(1),
  system: blocks.nullish(),
  tools: z.array(z.object({})).nullish(),
});
const shape = counted.extend({
  max_tokens: z.int().min(1).max(100_000_000),
  stream: z.boolean().nullish(),
  thinking: z.object({ budget_tokens: z.int().min(0).max(100_000_000).nullish() }).nullish(),
});

// Their cost is in the tokens of the input and the output. `speed` and `inference_geo` change the price.
const bounded = new Set(
  (
    'model messages max_tokens system stream temperature top_p top_k stop_sequences tools tool_choice thinking metadata output_config ' +
    'output_format cache_control service_tier'
  ).split(' '),
);
const bounded_blocks = new Set(['text', 'image', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking']);
// The vendor's own tools that the client runs itself.
const client_tools = /^(?:bash|text_editor|memory)_\d{8}$/;

function read(body: Json, text: string): AskedOfModel {
  refuseOwn(body);
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const { model, max_tokens, stream, thinking } = parsed.data;
  const said = listOf(body['messages']).filter(isJson);
  const tools = listOf(body['tools']).filter(isJson);
  const parts = [body['system'], ...said.map(({ content }) => content)].flatMap((content) => [...blocksIn(content)]);
  const own_tools = tools.filter((tool) => client_tools.test(typeOf(tool)));
  const images = parts.filter((part) => typeOf(part) === 'image').map(dataOf);
  const files = parts.filter(isFile).flatMap((part) => fileIn(part) ?? []);
  const web_searches = tools.reduce((sum, tool) => sum + (searchesOf(tool) ?? 0), 0);
  return {
    model,
    stream: stream === true,
    ...boundInput(text, {
      images,
      files,
      messages: said.length + parts.filter((part) => typeOf(part) === 'tool_result').length,
      instructions:
        ['tools', 'output_config', 'output_format'].filter((name) => name in body).length + own_tools.length,
    }),
    images: images.length,
    files: files.length,
    web_searches,
    contexts: 1 + web_searches,
    input_classes: [
      'input',
      'cached_input',
      'cache_write',
      ...(text.includes('"1h"') ? ['cache_write_1h' as const] : []),
    ],
    output_tokens: max_tokens,
    ...(typeof thinking?.budget_tokens === 'number' && { min_output_tokens: thinking.budget_tokens + 1 }),
    choices: 1,
    unbounded: [
      ...membersOutside(bounded, body),
      ...unpricedTier(body),
      ...parts.filter((part) => !isFile(part) && !bounded_blocks.has(typeOf(part))).map(nameOf),
      ...tools.filter((tool) => !isOfClient(tool) && searchesOf(tool) === undefined).map(nameOf),
    ],
    addresses: parts.map((part) => sourceOf(part)['url']).filter(isAddress),
  };
}

const isFile = (part: unknown) => typeOf(part) === 'document' && fileIn(part) !== undefined;

const max_searches = 100;

/** Undefined for another tool, and for a search without a limit of its own. */
function searchesOf(tool: Json): number | undefined {
  const { max_uses } = tool;
  if (!/^web_search_\d{8}$/.test(typeOf(tool))) return undefined;
  return Number.isInteger(max_uses) && Number(max_uses) > 0 && Number(max_uses) <= max_searches
    ? Number(max_uses)
    : undefined;
}

/** With the blocks of the results of tools. */
function* blocksIn(content: unknown): Generator {
  for (const block of listOf(content)) {
    yield block;
    if (isJson(block)) yield* blocksIn(block['content']);
  }
}

function sourceOf(part: unknown): Json {
  return isJson(part) && isJson(part['source']) ? part['source'] : {};
}

function dataOf(part: unknown): string {
  const { data } = sourceOf(part);
  return typeof data === 'string' ? data : '';
}

function isOfClient(tool: Json): boolean {
  return tool['type'] === undefined || tool['type'] === 'custom' || client_tools.test(typeOf(tool));
}

/** At the start of a stream, the output is not counted yet. */
function countsIn(answer: Json): Json | undefined {
  if (isJson(answer['message']) && isJson(answer['message']['usage'])) {
    const { output_tokens: _, ...counts } = answer['message']['usage'];
    return counts;
  }
  return isJson(answer['usage']) ? answer['usage'] : undefined;
}

/** A compaction is a call of its own, which the other counts leave out. */
function usageOf({ iterations, ...counts }: Json): Usage | undefined {
  const compactions = listOf(iterations).filter((one) => typeOf(one) === 'compaction');
  const usages = [counts, ...compactions].map(usageOfOne);
  if (usages.includes(undefined)) return undefined;
  const all = new Map<string, number>();
  for (const [name, tokens] of usages.flatMap((one) => Object.entries(one ?? {})))
    all.set(name, (all.get(name) ?? 0) + tokens);
  return Object.fromEntries(all);
}

/** Tokens from and for the cache are beside the input. */
function usageOfOne(counts: unknown): Usage | undefined {
  if (!isJson(counts)) return undefined;
  const input = count(counts['input_tokens']);
  const output = count(counts['output_tokens']);
  if (input === undefined || output === undefined) return undefined;
  const written = isJson(counts['cache_creation']) ? counts['cache_creation'] : {};
  const used = isJson(counts['server_tool_use']) ? counts['server_tool_use'] : {};
  const for_1h = written['ephemeral_1h_input_tokens'];
  const total = (count(written['ephemeral_5m_input_tokens']) ?? 0) + (count(for_1h) ?? 0);
  return {
    input,
    cached_input: count(counts['cache_read_input_tokens']) ?? 0,
    ...split(count(counts['cache_creation_input_tokens']) ?? total, 'cache_write', { cache_write_1h: for_1h }),
    output,
    web_searches: count(used['web_search_requests']) ?? 0,
  };
}
