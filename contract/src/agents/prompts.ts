// Prompts: their texts with the values of their variables, and their labels, each of which means one version.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { isLabel, versionPattern } from '../refs.ts';
import { byName, id, name, paging, time, version } from '../wire.ts';

/** A prompt has at most 100 variables. */
export const promptVariables = z
  .record(z.string().max(100), z.string().max(100_000))
  .refine((given) => Object.keys(given).length <= 200, 'must have at most 200 entries')
  .default({})
  .describe('the values of its variables, by their names');

export const versionOrLabel = z
  .string()
  .max(100)
  .refine(
    (text) => text === 'latest' || versionPattern.test(text) || isLabel(text),
    'must be MAJOR.MINOR.PATCH, a label, or latest',
  );

export const promptMessage = z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });
export type PromptMessage = z.output<typeof promptMessage>;

export const renderedPrompt = z.object({
  ref: z.string().describe('prompts/<name>@<version>'),
  label: z.string().nullable().describe('the label that named this version'),
  digest: z.string(),
  messages: z.array(promptMessage).describe('a prompt with a `template` is one message of the user'),
});
export type RenderedPrompt = z.output<typeof renderedPrompt>;

const label = name.refine(isLabel, 'must be a label, such as production');

export const promptLabel = z.object({
  label: z.string(),
  version: z.string().describe('that it means now'),
  digest: z.string(),
  approval_id: id.nullable().describe('null for a move by an admin without one'),
  moved_by: z.string(),
  moved_at: time,
});
export type PromptLabel = z.output<typeof promptLabel>;

export const labelMoved = promptLabel.extend({
  version: z.string().describe('that it meant from then on'),
  from_version: z.string().nullable().describe('null for the first move'),
});
export type LabelMoved = z.output<typeof labelMoved>;

export const promptsEndpoints = {
  'prompts.labels': {
    method: 'GET',
    path: '/api/v1/prompts/{name}/labels',
    summary: 'The labels of a prompt, and the version that each means',
    operation: 'asset.read',
    params: byName,
    reply: { kind: 'data', status: 200, schema: z.array(promptLabel) },
    problems: [],
  },
  'prompts.label_moves': {
    method: 'GET',
    path: '/api/v1/prompts/{name}/label-moves',
    summary: 'The moves of the labels of a prompt, the newest first',
    operation: 'asset.read',
    params: byName,
    query: z.strictObject({ label: label.optional(), ...paging }),
    reply: { kind: 'list', status: 200, schema: labelMoved },
    problems: ['bad_cursor'],
  },
  'prompts.move_label': {
    method: 'PUT',
    path: '/api/v1/prompts/{name}/labels/{label}',
    summary: 'Move a label to a version; agents that name it read that text from then on',
    operation: 'prompt.move_label',
    params: z.strictObject({ name, label }),
    body: z.strictObject({
      version: version.optional().describe('absent: back to the version before the last move'),
      from: version.optional().describe('refused when the label means another version now'),
    }),
    reply: { kind: 'data', status: 200, schema: promptLabel },
    problems: ['approval_required'],
  },
  'prompts.render': {
    method: 'POST',
    path: '/api/v1/prompts/{name}/render',
    summary: 'The text of a prompt with these values; missing and unknown variables are named',
    operation: 'asset.invoke',
    params: byName,
    body: z.strictObject({ version: versionOrLabel.default('latest'), variables: promptVariables }),
    reply: { kind: 'data', status: 200, schema: renderedPrompt },
    problems: ['too_large'],
  },
} as const satisfies Record<string, Endpoint>;
