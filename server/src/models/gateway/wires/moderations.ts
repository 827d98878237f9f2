// OpenAI's moderations. Only guardrails call them.
import { z } from 'zod';
import { noEvents, openaiDocument } from './document-forms.ts';
import { boundInput, invalid, writesNothing, type Wire } from './wire.ts';

export const moderations: Wire = {
  kind: 'openai',
  path: '/moderations',
  passed_headers: [],
  read: (body, text) => {
    const parsed = shape.safeParse(body);
    if (!parsed.success) throw invalid(parsed.error.issues);
    return {
      model: parsed.data.model,
      ...writesNothing,
      ...boundInput(text, { images: [], messages: parsed.data.input.length, instructions: 0 }),
      contexts: parsed.data.input.length,
    };
  },
  write: (body, model) => ({ ...body, model: model.upstream_model }),
  // The vendor counts nothing, so the whole hold is charged. A model without a price of its own is free.
  countsIn: () => undefined,
  usageOf: () => undefined,
  isOnlyUsage: () => false,
  isCut: () => false,
  document: openaiDocument,
  events: noEvents,
  printBreak: () => '',
};

const shape = z.object({ model: z.string().min(1), input: z.array(z.string()).min(1) });
