// The text of a prompt with the values of its variables. Values are put in once and never read for variables of their own, so a value adds no
// variable and its length alone bounds the text.
import { nearest } from '@gantry/contract/nearest.ts';
import { placeholder, type PromptConfig } from '../asset-config/prompt.ts';

/** The most characters of all texts together. */
export const max_rendered_characters = 1_000_000;

interface RenderedMessage {
  role: NonNullable<PromptConfig['messages']>[number]['role'];
  content: string;
}

interface RenderFault {
  variable: string;
  message: string;
}

export type Rendering =
  | { messages: RenderedMessage[] }
  /** A variable is missing or unknown. */
  | { faults: RenderFault[] }
  | { too_long: number };

export function renderPrompt(config: PromptConfig, given: Readonly<Record<string, string>>): Rendering {
  const faults = [...missing(config, given), ...unknown(config, given)];
  if (faults.length > 0) return { faults };
  const values = new Map(config.variables.map(({ name, default: otherwise = '' }) => [name, given[name] ?? otherwise]));
  const messages = messagesOf(config);
  // Counted before a text is made: a few kilobytes can ask for gigabytes.
  const length = messages.reduce((sum, { content }) => sum + lengthWith(content, values), 0);
  if (length > max_rendered_characters) return { too_long: length };
  return { messages: messages.map(({ role, content }) => ({ role, content: withValues(content, values) })) };
}

/** One text is a message of the user. */
export function messagesOf({ template, messages = [] }: PromptConfig): RenderedMessage[] {
  return template === undefined ? messages : [{ role: 'user', content: template }];
}

function missing({ variables }: PromptConfig, given: Readonly<Record<string, string>>): RenderFault[] {
  return variables
    .filter(({ name, default: otherwise }) => otherwise === undefined && !Object.hasOwn(given, name))
    .map(({ name }) => ({ variable: name, message: `the variable \`${name}\` is missing` }));
}

function unknown({ variables }: PromptConfig, given: Readonly<Record<string, string>>): RenderFault[] {
  const names = variables.map(({ name }) => name);
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const meant = nearest(name, names);
      const shown = name.slice(0, 64);
      const suggestion = meant === undefined ? '' : `; did you mean \`${meant}\`?`;
      return { variable: shown, message: `the prompt has no variable \`${shown}\`${suggestion}` };
    });
}

const withValues = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(placeholder, (_, name: string) => values.get(name) ?? '');

function lengthWith(text: string, values: ReadonlyMap<string, string>): number {
  let length = text.length;
  for (const [written, name = ''] of text.matchAll(placeholder))
    length += (values.get(name)?.length ?? 0) - written.length;
  return length;
}
