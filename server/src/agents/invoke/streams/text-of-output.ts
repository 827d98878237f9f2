// The text of an agent's output, for rules and agents that read only text.
import { isJson } from '../../../models/gateway/wires/wire.ts';

/** A text itself; the `raw` of a crew; the last message of the assistant; the only text of an object; else the output as JSON. */
export function textOfOutput(output: unknown): string {
  if (typeof output === 'string') return output;
  if (!isJson(output)) return JSON.stringify(output) ?? '';
  if (typeof output['raw'] === 'string') return output['raw'];
  const messages: readonly unknown[] = Array.isArray(output['messages']) ? output['messages'] : [];
  const said = messages.findLast(isOfAssistant);
  if (isJson(said)) return textOfContent(said['content']);
  const texts = Object.values(output).filter((value) => typeof value === 'string');
  const [only] = texts;
  return only !== undefined && texts.length === 1 ? only : JSON.stringify(output);
}

function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isJson(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

function isOfAssistant(message: unknown): boolean {
  return isJson(message) && (message['role'] === 'assistant' || message['type'] === 'ai');
}
