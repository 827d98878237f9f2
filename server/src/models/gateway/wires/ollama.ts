// Ollama's chat and generate. A request without `stream` is a stream.
import { z } from 'zod';
import { ollamaDocument } from './document-forms.ts';
import { ollamaEvents } from './ollama-events.ts';
import {
  boundInput,
  count,
  invalid,
  isJson,
  listOf,
  membersOutside,
  refuseOwn,
  type AskedOfModel,
  type Json,
  type Wire,
} from './wire.ts';

export const ollamaChat: Wire = {
  kind: 'ollama',
  path: '/api/chat',
  passed_headers: [],
  read: (body, text) => read(body, text, { shape: chat, bounded: bounded_chat }),
  write: (body, { upstream_model }, { output_tokens, is_limited, temperature }) => {
    const given = isJson(body['options']) ? body['options'] : {};
    const options = {
      ...(temperature !== undefined && { temperature }),
      ...given,
      ...(is_limited && { num_predict: output_tokens }),
    };
    return { ...body, model: upstream_model, ...(Object.keys(options).length > 0 && { options }) };
  },
  countsIn: (answer) => {
    const counts = Object.entries(answer).filter(([name]) => name === 'prompt_eval_count' || name === 'eval_count');
    return counts.length === 0 ? undefined : Object.fromEntries(counts);
  },
  usageOf: ({ prompt_eval_count, eval_count }) => {
    const [input, output] = [count(prompt_eval_count), count(eval_count)];
    return input === undefined || output === undefined ? undefined : { input, output };
  },
  isOnlyUsage: () => false,
  isCut: ({ done_reason }) => done_reason === 'length',
  document: ollamaDocument,
  events: ollamaEvents,
  printBreak: ({ code, detail }) => `data: ${JSON.stringify({ error: detail, code })}\n\n`,
};

export const ollamaGenerate: Wire = {
  ...ollamaChat,
  path: '/api/generate',
  read: (body, text) => read(body, text, { shape: generate, bounded: bounded_generate }),
  unreadable: ({ context }) => (Array.isArray(context) && context.length > 0 ? 'a context of tokens' : undefined),
};

const common = {
  model: z.string().min(1).max(200),
  stream: z.boolean().nullish(),
  // -1 has no limit, and -2 fills the context.
  options: z.object({ num_predict: z.int().min(-2).max(100_000_000).nullish() }).nullish(),
};
const images = z.array(z.string()).nullish();
const chat = z.object({
  ...common,
  messages: z.array(z.object({ role: z.string(), images })).min(1),
  tools: z.array(z.object({})).nullish(),
});
const generate = z.object({ ...common, prompt: z.string().nullish(), images });

const named = (names: string): ReadonlySet<string> => new Set(names.split(' '));
// `template` is not here: a template can repeat its input as often as it likes.
const shared = 'model format options stream keep_alive think logprobs top_logprobs';
const bounded_chat = named(`${shared} messages tools`);
const bounded_generate = named(`${shared} prompt suffix images system context raw`);
const bounded_options = named(
  'num_predict num_keep seed top_k top_p min_p typical_p tfs_z repeat_last_n temperature repeat_penalty presence_penalty frequency_penalty ' +
    'mirostat mirostat_tau mirostat_eta penalize_newline stop numa num_ctx num_batch num_gpu main_gpu low_vram f16_kv vocab_only use_mmap ' +
    'use_mlock num_thread',
);

function read(
  body: Json,
  text: string,
  { shape, bounded }: { shape: typeof chat | typeof generate; bounded: ReadonlySet<string> },
): AskedOfModel {
  refuseOwn(body);
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const { model, stream, options } = parsed.data;
  const messages = listOf(body['messages']).filter(isJson);
  const seen = [body, ...messages].flatMap((one) => listOf(one['images'])).map(String);
  const limit = options?.num_predict ?? undefined;
  return {
    model,
    stream: stream !== false,
    ...boundInput(text, {
      images: seen,
      messages: messages.length + 1,
      instructions: ['tools', 'format'].filter((name) => name in body).length,
    }),
    images: seen.length,
    files: 0,
    web_searches: 0,
    contexts: 1,
    input_classes: ['input', 'input_image'],
    output_tokens: limit === undefined || limit <= 0 ? undefined : limit,
    choices: 1,
    unbounded: [
      ...membersOutside(bounded, body),
      ...(isJson(body['options']) ? membersOutside(bounded_options, body['options']) : []),
    ],
    addresses: [],
  };
}
