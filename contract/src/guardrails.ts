// `guardrails:` of agent.yaml: names, or names with options.
import { z } from 'zod';
import { contentFilterOptions, scoresCategories } from './guardrails/content-filter.ts';
import { hallucinationCheckOptions } from './guardrails/hallucination-check.ts';
import { jsonSchemaOptions } from './guardrails/json-schema.ts';
import { maxLengthOptions } from './guardrails/max-length.ts';
import { piiOptions } from './guardrails/pii-detection.ts';
import { guardrailNames, type GuardrailName } from './guardrails/places.ts';
import { promptInjectionOptions } from './guardrails/prompt-injection.ts';
import { topicsOptions } from './guardrails/topics.ts';

export const guardrailOptions = {
  pii_detection: piiOptions,
  content_filter: contentFilterOptions,
  prompt_injection: promptInjectionOptions,
  hallucination_check: hallucinationCheckOptions,
  max_length: maxLengthOptions,
  json_schema: jsonSchemaOptions,
  topics: topicsOptions,
} as const satisfies Record<GuardrailName, z.ZodType>;

const optional = <Name extends GuardrailName, Options extends z.ZodType>(name: Name, options: Options) =>
  z.strictObject({ name: z.literal(name), options: options.optional().describe(`Options of ${name}`) });
const required = <Name extends GuardrailName, Options extends z.ZodType>(name: Name, options: Options) =>
  z.strictObject({ name: z.literal(name), options: options.describe(`Options of ${name}`) });

export const guardrail = z.discriminatedUnion('name', [
  optional('pii_detection', piiOptions),
  optional('content_filter', contentFilterOptions),
  optional('prompt_injection', promptInjectionOptions),
  optional('hallucination_check', hallucinationCheckOptions),
  required('max_length', maxLengthOptions),
  required('json_schema', jsonSchemaOptions),
  required('topics', topicsOptions),
]);

export type Guardrail = z.output<typeof guardrail>;

/** Names whose guardrail does nothing without options. */
const needsOptions: readonly string[] = ['max_length', 'json_schema', 'topics'];

const bareName = z.enum(guardrailNames).refine((name) => !needsOptions.includes(name), {
  error: ({ input }) => `needs options: {name: ${String(input)}, options: {…}}`,
});

export const guardrailList = z
  .array(z.union([bareName, guardrail]))
  .max(guardrailNames.length)
  .superRefine((entries, context) => {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const name = nameOf(entry);
      if (seen.has(name))
        context.addIssue({
          code: 'custom',
          path: [index],
          message: 'is in the list twice',
          params: { finding: 'duplicate_entry' },
        });
      seen.add(name);
    }
  });

/** Every entry with its options. */
export function guardrailsOf(entries: z.output<typeof guardrailList> = []): Guardrail[] {
  // A name without options is one of those whose options are optional.
  return entries.map((entry) => (typeof entry === 'string' ? ({ name: entry } as Guardrail) : entry));
}

/** The indexes of entries that ask a model and name none. */
export function withoutModel(entries: z.output<typeof guardrailList> = []): number[] {
  return guardrailsOf(entries).flatMap((guardrail, index) => {
    if (guardrail.name === 'hallucination_check') return guardrail.options?.model === undefined ? [index] : [];
    if (guardrail.name !== 'content_filter' || guardrail.options?.model !== undefined) return [];
    return scoresCategories(guardrail.options) ? [index] : [];
  });
}

const nameOf = (entry: string | { name: string }): string => (typeof entry === 'string' ? entry : entry.name);
