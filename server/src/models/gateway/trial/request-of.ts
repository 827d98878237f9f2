// A conversation as a request in the format of the model. What the conversation does not say is left to the vendor.
import { Problem } from '@gantry/contract/problems.ts';
import type { Model } from '../model.ts';
import { chatCompletions } from '../wires/chat-completions.ts';
import { streamGenerateContent } from '../wires/gemini.ts';
import { messages as anthropicMessages } from '../wires/messages.ts';
import type { Json, Wire } from '../wires/wire.ts';

interface Said {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface Conversation {
  messages: readonly Said[];
  temperature?: number | undefined;
  max_tokens?: number | undefined;
}

/** Anthropic wants a limit; each of its models takes this one. */
const usual_max_tokens = 4096;

/** Throws `invalid` for a conversation that the vendor of the model takes in no form. */
export function requestOf(
  { name, kind, max_tokens_field }: Pick<Model, 'name' | 'kind' | 'max_tokens_field'>,
  { messages, temperature, max_tokens }: Conversation,
): { wire: Wire; sent: Json } {
  const model = `models/${name}`;
  const sampling = temperature !== undefined && { temperature };
  if (kind === 'openai')
    return {
      wire: chatCompletions,
      sent: {
        model,
        messages,
        stream: true,
        ...sampling,
        ...(max_tokens !== undefined && { [max_tokens_field]: max_tokens }),
      },
    };
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const said = messages.filter(({ role }) => role !== 'system');
  if (said.length === 0)
    throw new Problem('invalid', {
      detail: `${model} takes no conversation of system messages alone.`,
      hint: 'Add a message of the user to the prompt, or try it on a model of another provider.',
    });
  if (kind === 'anthropic')
    return {
      wire: anthropicMessages,
      sent: {
        model,
        messages: said,
        stream: true,
        max_tokens: max_tokens ?? usual_max_tokens,
        ...(system.length > 0 && { system: system.join('\n\n') }),
        ...sampling,
      },
    };
  const generationConfig = { ...sampling, ...(max_tokens !== undefined && { maxOutputTokens: max_tokens }) };
  return {
    wire: streamGenerateContent,
    sent: {
      model,
      contents: said.map(({ role, content }) => ({
        role: role === 'user' ? 'user' : 'model',
        parts: [{ text: content }],
      })),
      ...(system.length > 0 && { systemInstruction: { parts: [{ text: system.join('\n\n') }] } }),
      ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    },
  };
}
