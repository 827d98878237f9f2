import { z } from 'zod';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { nearest } from '@gantry/contract/nearest.ts';
import { text } from '@gantry/contract/wire.ts';

// A name in a template between two pairs of braces.
const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be letters, digits and underscores, at most 64');
export const placeholder = /\{\{ {0,3}([A-Za-z_][A-Za-z0-9_]{0,63}) {0,3}\}\}/g;
const template = z
  .string()
  .min(1)
  .max(100_000)
  .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, 'must not hold control characters');

const roles = ['system', 'user', 'assistant'] as const;

/** A prompt for agents and people, with variables that its user fills in. */
export const prompt = z
  .strictObject({
    template: template.optional().describe('The text, with variables as `{{name}}`; or `messages` instead'),
    messages: z
      .array(
        z.strictObject({
          role: z.enum(roles).describe('The role of the speaker'),
          content: template.describe('The text'),
        }),
      )
      .min(1)
      .max(100)
      .optional()
      .describe('A conversation instead of one text'),
    variables: listOf(
      z.strictObject({
        name: variableName.describe('Its name in the text'),
        description: text.max(500).optional().describe('The meaning of its value'),
        default: z.string().max(10_000).optional().describe('The value when none is given'),
      }),
      100,
    )
      .default([])
      .describe('Every variable of the text'),
    require_approval: z
      .boolean()
      .optional()
      .describe('true: admins also need an approval to move a label to this version, or away from it'),
  })
  .superRefine(({ template: single, messages, variables }, context) => {
    const fault = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    if ((single === undefined) === (messages === undefined))
      fault(
        single === undefined ? ['template'] : ['messages'],
        'needs one of two: give either `template` or `messages`',
      );
    const names = variables.map(({ name }) => name);
    const texts = [
      ...(single === undefined ? [] : [{ path: ['template'], text: single }]),
      ...(messages ?? []).map(({ content }, index) => ({ path: ['messages', index, 'content'], text: content })),
    ];
    for (const { path, text: written } of texts) {
      for (const used of new Set(placeholders(written)))
        if (!names.includes(used))
          fault(path, `uses \`{{${used}}}\`, but \`variables\` does not have it${meant(used, names)}`);
      if (written.replaceAll(placeholder, '').includes('{{'))
        fault(path, 'holds `{{` without a variable; write `{{name}}`');
    }
    const used = new Set(texts.flatMap(({ text: written }) => placeholders(written)));
    for (const [index, name] of names.entries()) {
      if (!used.has(name)) fault(['variables', index, 'name'], `is \`${name}\`, but no text uses it`);
      if (names.indexOf(name) !== index) fault(['variables', index, 'name'], `is \`${name}\` a second time`);
    }
  });

export type PromptConfig = z.output<typeof prompt>;

function placeholders(written: string): string[] {
  return [...written.matchAll(placeholder)].map(([, name = '']) => name);
}

function meant(used: string, names: readonly string[]): string {
  const close = nearest(used, names);
  return close === undefined ? '' : `; did you mean \`{{${close}}}\`?`;
}
