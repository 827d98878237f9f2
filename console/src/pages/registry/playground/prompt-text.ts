// The text of a prompt as one edits it: its messages. Its variables follow from them, and keep what was said about them.
import { placeholder, type PromptConfig } from '@gantry/project/asset-config/prompt.ts';
import type { Send } from '@gantry/contract/client/client.ts';

type Role = 'system' | 'user' | 'assistant';

export interface Message {
  role: Role;
  content: string;
}

export type Draft = NonNullable<Send<'prompts.try'>['body']['draft']>;

/** A prompt with a `template` is one message of the user. */
export function messagesIn(config: Readonly<Record<string, unknown>>): readonly Message[] {
  const { template, messages } = config as Partial<PromptConfig>; // the service has checked it
  if (template !== undefined) return [{ role: 'user', content: template }];
  return messages ?? [];
}

/** The names in the texts, in their order. */
export function variablesIn(messages: readonly Message[]): string[] {
  const names = messages.flatMap(({ content }) => [...content.matchAll(placeholder)].map(([, name = '']) => name));
  return [...new Set(names)];
}

/** The config with these messages. */
export function configWith(before: Readonly<Record<string, unknown>>, messages: readonly Message[]): Draft {
  const { template, messages: _, variables = [], ...rest } = before as Partial<PromptConfig>; // the service has checked it
  const [first, ...others] = messages;
  const isOne = template !== undefined && first?.role === 'user' && others.length === 0;
  const described = variablesIn(messages).map((name) => variables.find((one) => one.name === name) ?? { name });
  const text = isOne ? { template: first.content } : { messages };
  return JSON.parse(JSON.stringify({ ...rest, ...text, variables: described })) as Draft; // what JSON.parse answers is JSON
}

export function defaultOf(config: Readonly<Record<string, unknown>>, variable: string): string | undefined {
  const { variables = [] } = config as Partial<PromptConfig>; // the service has checked it
  return variables.find(({ name }) => name === variable)?.default;
}

/** For a comparison. */
export function printMessages(messages: readonly Message[]): string {
  const [first, ...others] = messages;
  if (first?.role === 'user' && others.length === 0) return first.content;
  return messages.map(({ role, content }) => `${role}:\n${content}`).join('\n\n');
}
