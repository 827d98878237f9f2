// Ollama's vectors: of several texts, and of one in the older form, whose answer has no count.
import { z } from 'zod';
import { noEvents } from './document-forms.ts';
import { ollamaChat } from './ollama.ts';
import { boundInput, count, invalid, membersOutside, refuseOwn, writesNothing, type Json, type Wire } from './wire.ts';

export const ollamaEmbed: Wire = {
  ...ollamaChat,
  path: '/api/embed',
  read: (body, text) => {
    refuseOwn(body);
    const parsed = several.safeParse(body);
    if (!parsed.success) throw invalid(parsed.error.issues);
    return asked(body, text, { model: parsed.data.model, inputs: [parsed.data.input].flat().length });
  },
  write: (body, { upstream_model }) => ({ ...body, model: upstream_model }),
  usageOf: ({ prompt_eval_count }) => {
    const input = count(prompt_eval_count);
    return input === undefined ? undefined : { input };
  },
  events: noEvents,
};

export const ollamaEmbeddings: Wire = {
  ...ollamaEmbed,
  path: '/api/embeddings',
  read: (body, text) => {
    refuseOwn(body);
    const parsed = one.safeParse(body);
    if (!parsed.success) throw invalid(parsed.error.issues);
    return asked(body, text, { model: parsed.data.model, inputs: 1 });
  },
};

const model = z.string().min(1).max(200);
const several = z.object({ model, input: z.union([z.string(), z.array(z.string()).min(1)]) });
const one = z.object({ model, prompt: z.string() });

const bounded = new Set('model input prompt truncate options keep_alive dimensions'.split(' '));

function asked(body: Json, text: string, { model: name, inputs }: { model: string; inputs: number }) {
  return {
    model: name,
    ...writesNothing,
    ...boundInput(text, { images: [], messages: inputs, instructions: 0 }),
    contexts: inputs,
    unbounded: membersOutside(bounded, body),
  };
}
