// A request of POST /v1/responses for an agent.
import { z } from 'zod';
import { inLangchainForm } from '@gantry/contract/agents/files/print-file-part.ts';
import { threadName } from '@gantry/contract/agents/memory.ts';
import { invalid, isJson, typeOf, type Json } from '../../models/gateway/wires/wire.ts';
import {
  contentOf,
  isNotText,
  refused,
  refuseMembers,
  type AskedOfAgent,
  type AskedThread,
  type Message,
} from './asked.ts';
import { threadOf } from './response-id.ts';

const item = z.looseObject({
  type: z.literal('message', { error: 'must be a message: an agent calls its tools itself' }).optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
});
const shape = z.object({
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().max(2000).nullish(),
  conversation: z.union([threadName, z.object({ id: threadName }).transform(({ id }) => id)]).nullish(),
});

/** `lists_files`: the agent.yaml says which files the agent takes. */
export function readResponses(body: Json, { lists_files }: { lists_files: boolean }): AskedOfAgent {
  refuseMembers(body, [
    { name: 'tools', message: 'an agent has its own tools, and calls them itself' },
    {
      name: 'text',
      asks: (text) => isJson(text) && isNotText(text['format']),
      message: 'an agent chooses the form of its answer',
    },
    { name: 'background', message: 'is not offered here: POST /agents/<name>/invoke with `Prefer: respond-async`' },
    { name: 'prompt', message: 'an agent has its own prompts' },
    {
      name: 'top_logprobs',
      asks: (value) => typeof value === 'number' && value > 0,
      message: 'an agent has no probabilities of tokens',
    },
  ]);
  const { data, error } = shape.safeParse(body);
  if (data === undefined) throw invalid(error.issues);
  const { input, instructions, stream } = data;
  const items = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input;
  const said = items.map(({ role, content }, index): Message => {
    const pointer = `/input/${index}/content`;
    return { role, content: contentOf(content, pointer, lists_files ? readFileToo : readPart) };
  });
  const first: Message[] =
    instructions === null || instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  return { said: [...first, ...said], stream: stream === true, thread: threadIn(data), wants_usage: true };
}

function threadIn({
  previous_response_id: previous,
  conversation,
  store,
}: Pick<z.output<typeof shape>, 'previous_response_id' | 'conversation' | 'store'>): AskedThread {
  const is_forgotten = store === false;
  if (typeof previous !== 'string') return { name: conversation ?? undefined, is_forgotten };
  if (typeof conversation === 'string')
    throw refused('/conversation', 'cannot be beside previous_response_id: each of them names a thread');
  const name = threadOf(previous);
  if (name === undefined)
    throw refused(
      '/previous_response_id',
      'must be the id of an answer of this agent that was kept: without store: false',
    );
  return { name, is_forgotten };
}

function readFileToo(part: Json, pointer: string): Json {
  return typeOf(part) === 'input_file' ? inLangchainForm(part) : readPart(part, pointer);
}

function readPart(part: Json, pointer: string): Json {
  const type = typeOf(part);
  if ((type === 'input_text' || type === 'output_text') && typeof part['text'] === 'string')
    return { type: 'text', text: part['text'] };
  if (type === 'refusal' && typeof part['refusal'] === 'string') return { type: 'text', text: part['refusal'] };
  if (type === 'input_image' && typeof part['image_url'] === 'string') {
    const { image_url: url, detail } = part;
    return { type: 'image_url', image_url: { url, ...(typeof detail === 'string' && { detail }) } };
  }
  throw refused(pointer, 'must be a part of type input_text, or input_image with an image_url');
}
