import type { PromptConfig } from '@gantry/project/asset-config/prompt.ts';
import { max_rendered_characters, renderPrompt } from '@gantry/project/prompts/render-prompt.ts';
import type { PromptMessage } from '@gantry/contract/agents/prompts.ts';
import { Problem } from '@gantry/contract/problems.ts';

/** Throws `invalid` with every missing and unknown variable, and `too_large`. */
export function requireRendered(
  ref: string,
  config: PromptConfig,
  variables: Readonly<Record<string, string>>,
): PromptMessage[] {
  const rendering = renderPrompt(config, variables);
  if ('messages' in rendering) return rendering.messages;
  if ('too_long' in rendering)
    throw new Problem('too_large', {
      detail: `${ref} would have ${rendering.too_long} characters with these values; the most is ${max_rendered_characters}.`,
    });
  const names = config.variables.map(({ name, default: otherwise }) =>
    otherwise === undefined ? name : `${name} (has a default)`,
  );
  throw new Problem('invalid', {
    detail: `${ref}: ${rendering.faults.map(({ message }) => message).join(', ')}.`,
    hint: names.length === 0 ? 'The prompt has no variables.' : `Its variables: ${names.join(', ')}.`,
    errors: rendering.faults.map(({ variable, message }) => ({ pointer: `/variables/${variable}`, message })),
  });
}
