// OpenAI's chat/completions.
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { Usage } from '../prices/rates.ts';
import {
  count,
  image_max_tokens,
  isJson,
  message_overhead_tokens,
  request_overhead_tokens,
  tools_overhead_tokens,
  type AskedOfModel,
  type Json,
  type Wire,
} from './wire.ts';

export const chatCompletions: Wire = {
  kind: 'openai',
  path: '/chat/completions',
  read,
  write: (body, model, { output_tokens, is_limited }) => {
    const field = ['max_completion_tokens', 'max_tokens'].find((name) => name in body) ?? model.max_tokens_field;
    return {
      ...body,
      model: model.upstream_model,
      ...(is_limited && { [field]: output_tokens }),
      ...(body['stream'] === true && { stream_options: { ...optionsOf(body), include_usage: true } }),
    };
  },
  usageOf,
  isOnlyUsage: (event, body) =>
    optionsOf(body)?.['include_usage'] !== true && Array.isArray(event['choices']) && event['choices'].length === 0,
};

const tokens = z.int().min(1).max(100_000_000).nullish();
const shape = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish(),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  n: z.int().min(1).max(128).nullish(),
});

// Their cost is in the tokens of the input and the output. A member that is not listed here may cost something else.
const bounded = new Set(
  (
    'model messages stream stream_options max_tokens max_completion_tokens n temperature top_p stop presence_penalty frequency_penalty ' +
    'logit_bias logprobs top_logprobs seed tools tool_choice parallel_tool_calls functions function_call response_format ' +
    'reasoning_effort verbosity user metadata store safety_identifier prompt_cache_key prompt_cache_retention'
  ).split(' '),
);
// The upstream's address and credential are the service's.
const refused =
  /^(?:api_?key|api_?base|base_?url|api_?version|organization|authorization|extra_(?:headers|body|query))$/i;

function read(body: Json, bytes: number): AskedOfModel {
  const own = Object.keys(body).find((name) => refused.test(name));
  if (own !== undefined)
    throw invalid([{ path: [own], message: 'belongs to the service, which knows the address and the credential' }]);
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const { model, messages, stream, max_tokens, max_completion_tokens, n, tools } = parsed.data;
  const parts = messages.flatMap(({ content }): unknown[] => (Array.isArray(content) ? content : []));
  const images = parts.filter((part) => isPart(part, ['image_url']));
  const image_bytes = images.reduce<number>((sum, image) => sum + JSON.stringify(image).length, 0);
  const others = parts.filter((part) => !isPart(part, ['text', 'image_url', 'refusal']));
  const given: unknown[] = Array.isArray(tools) ? tools : [];
  const hosted = given.filter((tool) => !isPart(tool, ['function']));
  return {
    model,
    stream: stream === true,
    input_tokens:
      bytes -
      Math.min(bytes, image_bytes) +
      images.length * image_max_tokens +
      request_overhead_tokens +
      messages.length * message_overhead_tokens +
      (tools === undefined ? 0 : tools_overhead_tokens),
    input_classes: ['input', 'cached_input', 'cache_write', 'input_image', 'cached_input_image'],
    output_tokens: max_completion_tokens ?? max_tokens ?? undefined,
    choices: n ?? 1,
    unbounded: Object.keys(body)
      .filter((name) => !bounded.has(name))
      .concat(others.map(nameOf), hosted.map(nameOf)),
  };
}

function usageOf(answer: Json): Usage | undefined {
  const usage = answer['usage'];
  if (!isJson(usage)) return undefined;
  const input = count(usage['prompt_tokens']);
  const output = count(usage['completion_tokens']);
  if (input === undefined || output === undefined) return undefined;
  const inputs = isJson(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  const outputs = isJson(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : {};
  const cached_input = Math.min(count(inputs['cached_tokens']) ?? 0, input);
  const input_audio = Math.min(count(inputs['audio_tokens']) ?? 0, input - cached_input);
  const output_reasoning = Math.min(count(outputs['reasoning_tokens']) ?? 0, output);
  const output_audio = Math.min(count(outputs['audio_tokens']) ?? 0, output - output_reasoning);
  return {
    input: input - cached_input - input_audio,
    cached_input,
    input_audio,
    output: output - output_reasoning - output_audio,
    output_reasoning,
    output_audio,
  };
}

const optionsOf = (body: Json): Json | undefined =>
  isJson(body['stream_options']) ? body['stream_options'] : undefined;

function isPart(part: unknown, types: readonly string[]): boolean {
  return isJson(part) && types.includes(String(part['type']));
}

function nameOf(part: unknown): string {
  return isJson(part) ? `\`${String(part['type']).slice(0, 40)}\`` : 'an unknown part';
}

function invalid(issues: readonly { path: PropertyKey[]; message: string }[]): Problem {
  return new Problem('invalid', {
    errors: issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message })),
  });
}
