// OpenAI's chat/completions.
import { z } from 'zod';
import { chatEvents } from './chat-events.ts';
import { openaiDocument } from './document-forms.ts';
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

export const chatCompletions: Wire = {
  kind: 'openai',
  path: '/chat/completions',
  passed_headers: [],
  read,
  write: (body, model, limit) => {
    const { output_tokens, is_limited } = limit;
    const { stream_options: _, max_tokens, max_completion_tokens, ...rest } = withTemperature(body, limit);
    return {
      ...rest,
      model: model.upstream_model,
      // A vendor ignores the name that it does not know, and then knows no limit.
      ...(is_limited ? { [model.max_tokens_field]: output_tokens } : { max_tokens, max_completion_tokens }),
      ...(body['stream'] === true &&
        model.takes_stream_options && { stream_options: { ...optionsOf(body), include_usage: true } }),
    };
  },
  countsIn: (answer) => (isJson(answer['usage']) ? answer['usage'] : undefined),
  usageOf: (counts) => openaiUsage(counts, ['prompt_tokens', 'completion_tokens']),
  isOnlyUsage: (event, body) =>
    optionsOf(body)?.['include_usage'] !== true && Array.isArray(event['choices']) && event['choices'].length === 0,
  isCut: ({ choices }) => listOf(choices).some((choice) => isJson(choice) && choice['finish_reason'] === 'length'),
  document: openaiDocument,
  events: chatEvents,
  printBreak: ({ code, detail }) =>
    `data: ${JSON.stringify({ error: { type: 'api_error', code, message: detail, param: null } })}\n\n`,
};

const tokens = z.int().min(1).max(100_000_000).nullish();
const shape = z.object({
  model: z.string().min(1).max(200),
  messages: z.array(z.object({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({}).nullish(),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  n: z.int().min(1).max(128).nullish(),
  tools: z.array(z.object({})).nullish(),
});

// Their cost is in the tokens of the input and the output. A member that is not listed here may cost something else.
const bounded = new Set(
  (
    'model messages stream stream_options max_tokens max_completion_tokens n temperature top_p stop presence_penalty frequency_penalty ' +
    'logit_bias logprobs top_logprobs seed tools tool_choice parallel_tool_calls functions function_call response_format ' +
    'reasoning_effort verbosity user metadata store safety_identifier prompt_cache_key prompt_cache_retention service_tier ' +
    samplingMembers
  ).split(' '),
);
// `audio` of a message stands for an earlier answer, which the vendor keeps.
const bounded_in_message = new Set(
  'role content name refusal tool_calls tool_call_id function_call reasoning reasoning_content annotations'.split(' '),
);

function read(body: Json, text: string): AskedOfModel {
  refuseOwn(body);
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const { model, stream, max_tokens, max_completion_tokens, n } = parsed.data;
  const messages = listOf(body['messages']).filter(isJson);
  const parts = messages.flatMap(({ content }) => listOf(content));
  const images = parts.filter((part) => typeOf(part) === 'image_url').map(addressOf);
  const files = parts.filter(isFile).flatMap((part) => fileIn(part) ?? []);
  return {
    model,
    stream: stream === true,
    ...boundInput(text, {
      images,
      files,
      messages: messages.length,
      instructions: ['tools', 'functions', 'response_format'].filter((name) => name in body).length,
    }),
    images: images.length,
    files: files.length,
    web_searches: 0,
    contexts: 1,
    input_classes: ['input', 'cached_input', 'cache_write', 'input_image', 'cached_input_image'],
    output_tokens: max_completion_tokens ?? max_tokens ?? undefined,
    choices: n ?? 1,
    unbounded: [
      ...membersOutside(bounded, body),
      ...unpricedTier(body),
      ...messages.flatMap((message) => membersOutside(bounded_in_message, message)),
      ...parts.filter((part) => !isFile(part) && !['text', 'image_url', 'refusal'].includes(typeOf(part))).map(nameOf),
      ...listOf(body['tools'])
        .filter((tool) => typeOf(tool) !== 'function')
        .map(nameOf),
    ],
    addresses: [...images, ...files].filter(isAddress),
  };
}

const isFile = (part: unknown) => typeOf(part) === 'file' && fileIn(part) !== undefined;

function addressOf(part: unknown): string {
  const image = isJson(part) ? part['image_url'] : undefined;
  const address = isJson(image) ? image['url'] : image;
  return typeof address === 'string' ? address : '';
}

const optionsOf = (body: Json): Json | undefined =>
  isJson(body['stream_options']) ? body['stream_options'] : undefined;
