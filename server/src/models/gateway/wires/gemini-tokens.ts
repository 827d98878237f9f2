// Gemini's count of tokens. It costs nothing, and it counts as a request.
import { z } from 'zod';
import { requireModel } from './gemini-body.ts';
import { generateContent } from './gemini.ts';
import { partsOf, refuseKept } from './gemini-parts.ts';
import { costsNothing, invalid, isJson, listOf, refuseOwn, type Json, type Wire } from './wire.ts';

export const countGeminiTokens: Wire = {
  ...generateContent,
  path: '/models/{model}:countTokens',
  read: (body) => {
    refuseOwn(body);
    const parsed = shape.safeParse(body);
    if (!parsed.success) throw invalid(parsed.error.issues);
    const { model } = parsed.data;
    const whole = wholeRequest(body);
    requireModel(whole?.['model'], model, ['generateContentRequest', 'model']);
    const { contents, systemInstruction } = whole ?? body;
    refuseKept(partsOf([...listOf(contents), systemInstruction]));
    return {
      model,
      ...costsNothing,
    };
  },
  write: ({ model: _, ...body }, { upstream_model }) => {
    const whole = wholeRequest(body);
    if (whole === undefined) return body;
    return { ...body, generateContentRequest: { ...whole, model: `models/${upstream_model}` } };
  },
  countsIn: () => ({}),
  usageOf: () => ({}),
};

/** A whole call can stand in place of its contents. */
function wholeRequest({ generateContentRequest }: Json): Json | undefined {
  return isJson(generateContentRequest) ? generateContentRequest : undefined;
}

const contents = z.array(z.object({})).min(1);
const shape = z
  .object({
    model: z.string().min(1).max(200),
    contents: contents.nullish(),
    generateContentRequest: z.object({ contents }).nullish(),
  })
  .refine((body) => isJson(body.generateContentRequest) || Array.isArray(body.contents), {
    path: ['contents'],
    message: 'is needed',
  });
