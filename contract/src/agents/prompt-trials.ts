// Trials of prompts on models, and the examples that they are tried on.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { modelCallProblems } from '../models/gateway.ts';
import { parseRef } from '../refs.ts';
import { byName, json, name, paging, text, time } from '../wire.ts';
import { promptVariables, versionOrLabel } from './prompts.ts';

/** Of one prompt. */
export const most_examples = 100;
/** Of the names and values of one example together. */
export const most_example_characters = 100_000;

const modelRef = z
  .string()
  .max(100)
  .refine((ref) => parseRef(ref)?.kind === 'model', 'must be models/<name>')
  .describe('models/<name>');

const trialBody = z
  .strictObject({
    version: versionOrLabel.optional().describe('a version, a label or latest'),
    draft: z
      .record(z.string().max(100), json)
      .optional()
      .describe('instead of a version: a config of a prompt that is not saved'),
    variables: promptVariables,
    model: modelRef,
    temperature: z.number().min(0).max(2).optional().describe("absent: the vendor's own"),
    max_tokens: z.int().min(1).max(1_000_000).optional().describe('of the answer'),
  })
  .refine(({ version, draft }) => (version === undefined) !== (draft === undefined), {
    error: 'needs one of two: `version` or `draft`',
    path: ['version'],
  });

export const trialEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('started'),
    ref: z.string().nullable().describe('prompts/<name>@<version>; null for a draft'),
    label: z.string().nullable().describe('the label that named this version'),
    digest: z.string().nullable().describe('of the version; null for a draft'),
    model: z.string(),
    trace_id: z.string(),
  }),
  z.object({ type: z.literal('delta'), text: z.string() }),
  z.object({
    type: z.literal('used').describe('the last event; after it, a refusal is why the answer broke off'),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cost_usd: z.string().nullable().describe('as in the ledger; null for a model without a price'),
    first_token_ms: z.int().nullable().describe('null for an answer without text'),
    total_ms: z.int(),
    is_cut: z.boolean().describe('the answer ended at its limit of tokens'),
  }),
]);
export type TrialEvent = z.output<typeof trialEvent>;
export type TrialUsage = Extract<TrialEvent, { type: 'used' }>;

const exampleText = z
  .string()
  .regex(/^[^\u0000]*$/, 'must not hold the character NUL')
  .refine((value) => value.isWellFormed(), 'must be text, without halves of characters');

export const promptExample = z.object({
  name: z.string(),
  variables: z.record(z.string(), z.string()),
  expected: z.string().nullable().describe('what a good answer has, for the reader'),
  created_by: z.string(),
  created_at: time,
});
export type PromptExample = z.output<typeof promptExample>;

const newExample = z.strictObject({
  name: name.describe('of the example, among those of its prompt'),
  variables: z
    .record(z.string().max(100), exampleText)
    .refine(
      (given) => Object.entries(given).flat().join('').length <= most_example_characters,
      `must have at most ${most_example_characters} characters together`,
    )
    .refine((given) => Object.keys(given).length <= 100, 'must have at most 100 entries')
    .default({})
    .describe('the values of the variables, by their names'),
  expected: text.optional().describe('what a good answer has, for the reader'),
});

const path = '/api/v1/prompts/{name}/examples';

export const promptTrialEndpoints = {
  'prompts.try': {
    method: 'POST',
    path: '/api/v1/prompts/{name}/try',
    summary:
      'Try a version or a draft of a prompt on a model, and read the answer as it is made; the team of the prompt pays',
    operation: 'asset.write',
    params: byName,
    body: trialBody,
    reply: { kind: 'events', status: 200, schema: trialEvent },
    problems: ['too_large', ...modelCallProblems],
  },
  'prompts.examples': {
    method: 'GET',
    path,
    summary: 'The stored examples of a prompt, by name',
    operation: 'asset.read',
    params: byName,
    query: z.strictObject(paging),
    reply: { kind: 'list', status: 200, schema: promptExample },
    problems: ['bad_cursor'],
  },
  'prompts.add_example': {
    method: 'POST',
    path,
    summary: 'Store values of the variables of a prompt as an example',
    operation: 'asset.write',
    params: byName,
    body: newExample,
    reply: { kind: 'data', status: 201, schema: promptExample },
    problems: [],
  },
  'prompts.delete_example': {
    method: 'DELETE',
    path: `${path}/{example}`,
    summary: 'Delete an example of a prompt',
    operation: 'asset.write',
    params: z.strictObject({ name, example: name }),
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
