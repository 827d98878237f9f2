// The reranking of Cohere, which Jina, vLLM and LiteLLM serve in the same form. Only the service calls it, for searches in knowledge.
import { z } from 'zod';
import { noEvents, openaiDocument } from './document-forms.ts';
import { boundInput, count, invalid, isJson, writesNothing, type Wire } from './wire.ts';

export const rerank: Wire = {
  kind: 'openai',
  path: '/rerank',
  passed_headers: [],
  read: (body, text) => {
    const parsed = shape.safeParse(body);
    if (!parsed.success) throw invalid(parsed.error.issues);
    const { model, query, documents } = parsed.data;
    const { input_tokens, expected_input_tokens } = boundInput(text, {
      images: [],
      messages: documents.length,
      instructions: 0,
    });
    // The query is read again with each document.
    const again = Buffer.byteLength(query) * documents.length;
    return {
      model,
      ...writesNothing,
      input_tokens: input_tokens + again,
      expected_input_tokens: expected_input_tokens + Math.ceil(again / 3),
      contexts: documents.length,
    };
  },
  write: (body, model) => ({ ...body, model: model.upstream_model }),
  // Jina and vLLM count in `usage`; Cohere and LiteLLM in `meta`. One that counts searches alone is charged the whole hold.
  countsIn: ({ usage, meta }) => {
    if (isJson(usage)) return usage;
    if (!isJson(meta)) return undefined;
    const { tokens, billed_units: billed } = meta;
    return isJson(tokens) && 'input_tokens' in tokens ? tokens : isJson(billed) ? billed : undefined;
  },
  usageOf: ({ prompt_tokens, total_tokens, input_tokens }) => {
    const input = count(prompt_tokens) ?? count(total_tokens) ?? count(input_tokens);
    return input === undefined ? undefined : { input };
  },
  isOnlyUsage: () => false,
  isCut: () => false,
  document: openaiDocument,
  events: noEvents,
  printBreak: () => '',
};

const shape = z.object({
  model: z.string().min(1),
  query: z.string().min(1),
  documents: z.array(z.string()).min(1).max(1000),
});
