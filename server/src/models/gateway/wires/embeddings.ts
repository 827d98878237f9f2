// OpenAI's embeddings. They have no output tokens, and no stream.
import { z } from 'zod';
import { noEvents, openaiDocument } from './document-forms.ts';
import { boundInput, count, invalid, isJson, membersOutside, refuseOwn, writesNothing, type Wire } from './wire.ts';

export const embeddings: Wire = {
  kind: 'openai',
  path: '/embeddings',
  passed_headers: [],
  read: (body, text) => {
    refuseOwn(body);
    const parsed = shape.safeParse(body);
    if (!parsed.success) throw invalid(parsed.error.issues);
    const { model, input } = parsed.data;
    const inputs = typeof input === 'string' ? [input] : input.filter((one) => typeof one !== 'number');
    return {
      model,
      ...writesNothing,
      // A token that is given as a number takes two bytes or more.
      ...boundInput(text, { images: [], messages: inputs.length, instructions: 0 }),
      contexts: Math.max(1, inputs.length),
      unbounded: [...membersOutside(bounded, body), ...(inputs.some(isJson) ? ['an input other than text'] : [])],
    };
  },
  write: (body, model) => ({ ...body, model: model.upstream_model }),
  countsIn: ({ usage }) => (isJson(usage) ? usage : undefined),
  usageOf: ({ prompt_tokens }) => {
    const input = count(prompt_tokens);
    return input === undefined ? undefined : { input };
  },
  isOnlyUsage: () => false,
  isCut: () => false,
  document: openaiDocument,
  events: noEvents,
  unreadable: ({ input }) =>
    Array.isArray(input) && input.some((one) => typeof one !== 'string') ? 'an input of tokens' : undefined,
  printBreak: () => '',
};

const shape = z.object({
  model: z.string().min(1).max(200),
  input: z.union([
    z.string(),
    z.array(z.union([z.string(), z.int().min(0), z.array(z.int().min(0)), z.object({})])).min(1),
  ]),
});

const bounded = new Set('model input encoding_format dimensions user'.split(' '));
