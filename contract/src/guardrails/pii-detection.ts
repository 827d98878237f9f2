import { z } from 'zod';
import { listOf } from '../formats/list-of.ts';
import { pattern } from './pattern.ts';

export const piiTypes = ['email', 'phone', 'card', 'iban', 'ip', 'national_id', 'secret', 'person'] as const;
export type PiiType = (typeof piiTypes)[number];

/** Countries whose national phone numbers and ids are recognised without a word beside them. */
const piiLocales = ['US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'PL', 'SE', 'BR', 'IN', 'CA', 'AU', 'AT', 'CH'] as const;

const presidio = z.strictObject({
  address: z.url({ protocol: /^https?$/ }).describe('The address of a Presidio analyzer'),
  language: z
    .string()
    .regex(/^[a-z]{2}$/, 'must be a language of two letters')
    .optional()
    .describe('The language of the texts; unset: en'),
  threshold: z.number().min(0).max(1).optional().describe('The lowest score of a name; unset: 0.6'),
});
export type PresidioOptions = z.output<typeof presidio>;

export const piiOptions = z
  .strictObject({
    types: listOf(z.enum(piiTypes), piiTypes.length)
      .min(1)
      .optional()
      .describe('The types of values; unset: all but person, which needs `presidio`'),
    locales: listOf(z.enum(piiLocales), piiLocales.length)
      .optional()
      .describe('Countries whose phone numbers and ids count without a prefix or a word beside them'),
    allow: listOf(z.union([z.string().min(1).max(200), pattern]), 100)
      .optional()
      .describe('Values that are not personal: exact values, or {pattern}'),
    action: z.enum(['redact', 'block']).optional().describe('redact (unset) puts placeholders such as [EMAIL_1]'),
    tools: z
      .enum(['redact', 'block'])
      .optional()
      .describe(
        'Also in the arguments and the results of tools at the door; redact puts [EMAIL] there. Unset: not there',
      ),
    presidio: presidio.optional().describe('Finds names of persons with a Presidio service'),
    on_failure: z.enum(['block', 'pass']).optional().describe('When Presidio is away; unset: block'),
  })
  .refine(({ types = [], presidio }) => !types.includes('person') || presidio !== undefined, {
    error: 'needs `presidio`',
    path: ['types'],
  });
