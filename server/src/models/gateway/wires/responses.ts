// OpenAI's responses.
import { z } from 'zod';
import { openaiDocument } from './document-forms.ts';
import { responseEvents } from './response-events.ts';
import { openaiUsage } from './openai-usage.ts';
import { fileIn, samplingMembers, unpricedTier } from './priced-members.ts';
import {
  boundInput,
  invalid,
  isAddress,
  isJson,
  listOf,
  membersOutside,
  nameOf,
  refuseOwn,
  typeOf,
  type AskedOfModel,
  type Json,
  type Wire,
  withTemperature,
} from './wire.ts';

export const responses: Wire = {
  kind: 'openai',
  path: '/responses',
  passed_headers: [],
  read,
  write: (body, model, limit) => ({
    ...withTemperature(body, limit),
    model: model.upstream_model,
    ...(limit.is_limited && { max_output_tokens: limit.output_tokens }),
  }),
  // An answer is the response itself; the last event of a stream contains it.
  countsIn: (answer) => {
    const { usage } = isJson(answer['response']) ? answer['response'] : answer;
    return isJson(usage) ? usage : undefined;
  },
  usageOf: (counts) => openaiUsage(counts, ['input_tokens', 'output_tokens']),
  isOnlyUsage: () => false,
  isCut: ({ incomplete_details: why }) => isJson(why) && why['reason'] === 'max_output_tokens',
  document: openaiDocument,
  events: responseEvents,
  printBreak: ({ code, detail }) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', code, message: detail, param: null })}\n\n`,
};

const shape = z.object({
  model: z.string().min(1).max(200),
  input: z.union([z.string(), z.array(z.object({})).min(1)]).nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).max(100_000_000).nullish(),
  tools: z.array(z.object({})).nullish(),
});

// `background`, `previous_response_id`, `conversation` and `prompt` stand for input that the vendor keeps, or for an answer that comes later.
const bounded = new Set(
  (
    'model input instructions stream stream_options max_output_tokens temperature top_p tools tool_choice parallel_tool_calls max_tool_calls ' +
    'text reasoning include metadata store truncation user safety_identifier prompt_cache_key prompt_cache_retention top_logprobs service_tier ' +
    samplingMembers
  ).split(' '),
);
const bounded_items = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);
const bounded_parts = new Set(['input_text', 'output_text', 'refusal', 'input_image']);

function read(body: Json, text: string): AskedOfModel {
  refuseOwn(body);
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const { model, stream, max_output_tokens } = parsed.data;
  const items = listOf(body['input']).filter(isJson);
  const parts = items.flatMap(({ content, output, type }) =>
    type === 'reasoning' ? [] : [...listOf(content), ...listOf(output)],
  );
  const images = parts.filter((part) => typeOf(part) === 'input_image').map(addressOf);
  const files = parts.filter(isFile).flatMap((part) => fileIn(part) ?? []);
  return {
    model,
    stream: stream === true,
    ...boundInput(text, {
      images,
      files,
      messages: items.length + 1,
      instructions: ['tools', 'text'].filter((name) => name in body).length,
    }),
    images: images.length,
    files: files.length,
    web_searches: 0,
    contexts: 1,
    input_classes: ['input', 'cached_input', 'cache_write', 'input_image', 'cached_input_image'],
    output_tokens: max_output_tokens ?? undefined,
    choices: 1,
    unbounded: [
      ...membersOutside(bounded, body),
      ...unpricedTier(body),
      ...items.flatMap(unboundedItem),
      ...parts.filter((part) => !isFile(part) && !bounded_parts.has(typeOf(part))).map(nameOf),
      ...listOf(body['tools'])
        .filter((tool) => !['function', 'custom'].includes(typeOf(tool)))
        .map(nameOf),
    ],
    addresses: parts.flatMap((part) => (isJson(part) ? [part['image_url'], part['file_url']] : [])).filter(isAddress),
  };
}

/** An item without its content stands for what the vendor keeps. */
function unboundedItem(item: Json): string[] {
  const type = item['type'] === undefined ? 'message' : typeOf(item);
  if (type === 'reasoning')
    return typeof item['encrypted_content'] === 'string' ? [] : ['`reasoning` without `encrypted_content`'];
  return bounded_items.has(type) ? [] : [nameOf(item)];
}

const isFile = (part: unknown) => typeOf(part) === 'input_file' && fileIn(part) !== undefined;

function addressOf(part: unknown): string {
  return isJson(part) && typeof part['image_url'] === 'string' ? part['image_url'] : '';
}
