// A request of POST /v1/chat/completions for an agent.
import { z } from 'zod';
import { inLangchainForm } from '@gantry/contract/agents/files/print-file-part.ts';
import { invalid, typeOf, type Json } from '../../models/gateway/wires/wire.ts';
import { contentOf, isNotText, refused, refuseMembers, type AskedOfAgent, type Message } from './asked.ts';

const own_tools = 'an agent has its own tools, and calls them itself';
const shape = z.object({
  messages: z
    .array(
      z.object({
        role: z.enum(['system', 'developer', 'user', 'assistant'], {
          error: 'must be system, developer, user or assistant: an agent calls its tools itself',
        }),
        content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
      }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

/** `lists_files`: the agent.yaml says which files the agent takes. */
export function readChat(body: Json, { lists_files }: { lists_files: boolean }): AskedOfAgent {
  refuseMembers(body, [
    { name: 'tools', message: own_tools },
    { name: 'functions', message: own_tools },
    { name: 'n', asks: (n) => typeof n === 'number' && n !== 1, message: 'an agent gives one answer' },
    { name: 'response_format', asks: isNotText, message: 'an agent chooses the form of its answer' },
    { name: 'stop', message: 'an agent decides where its answer ends' },
    { name: 'logprobs', message: 'an agent has no probabilities of tokens' },
    {
      name: 'modalities',
      asks: (value) => Array.isArray(value) && value.some((one) => one !== 'text'),
      message: 'an agent answers with text',
    },
    { name: 'audio', message: 'an agent answers with text' },
    { name: 'web_search_options', message: own_tools },
  ]);
  const { data, error } = shape.safeParse(body);
  if (data === undefined) throw invalid(error.issues);
  const said = data.messages.map(({ role, content }, index): Message => {
    const pointer = `/messages/${index}/content`;
    return { role, content: contentOf(content ?? '', pointer, lists_files ? readFileToo : readPart) };
  });
  return { said, stream: data.stream === true, wants_usage: data.stream_options?.include_usage === true };
}

function readFileToo(part: Json, pointer: string): Json {
  const type = typeOf(part);
  return type === 'file' || type === 'input_audio' ? inLangchainForm(part) : readPart(part, pointer);
}

function readPart(part: Json, pointer: string): Json {
  const type = typeOf(part);
  if (type === 'text' && typeof part['text'] === 'string') return { type, text: part['text'] };
  if (type === 'refusal' && typeof part['refusal'] === 'string') return { type: 'text', text: part['refusal'] };
  if (type === 'image_url') return { type, image_url: part['image_url'] };
  throw refused(pointer, 'must be a part of type text or image_url');
}
