// The text of an answer for a person, in an event of a stream and in an answer in one piece. What a model thinks is no part of it.
import type { UpstreamKind } from '@gantry/project/model-providers.ts';
import { isJson, listOf, typeOf, type Json, type Wire } from '../wires/wire.ts';

export function textIn(kind: UpstreamKind, said: Json): string {
  if (kind === 'anthropic') return textOfAnthropic(said);
  if (kind === 'gemini')
    return partsIn(listOf(said['candidates'])[0])
      .filter((part) => part['thought'] !== true)
      .map(({ text }) => asText(text))
      .join('');
  const [choice] = listOf(said['choices']);
  if (!isJson(choice)) return '';
  const { delta, message } = choice;
  return [delta, message].map((one) => (isJson(one) ? asText(one['content']) : '')).join('');
}

/** The answer ended because it reached its limit of tokens. */
export function isCutIn({ isCut }: Pick<Wire, 'isCut'>, said: Json): boolean {
  return isCut(said) || (isJson(said['delta']) && isCut(said['delta']));
}

/** What the upstream says in place of the rest. Undefined for every other event. */
export function errorIn(said: Json): string | undefined {
  const { error } = said;
  if (typeof error === 'string') return error;
  if (!isJson(error)) return undefined;
  return typeof error['message'] === 'string' ? error['message'] : 'it gave no reason';
}

function textOfAnthropic(said: Json): string {
  const { delta } = said;
  if (typeOf(said) === 'content_block_delta')
    return isJson(delta) && typeOf(delta) === 'text_delta' ? asText(delta['text']) : '';
  return listOf(said['content'])
    .filter((block) => typeOf(block) === 'text')
    .map((block) => (isJson(block) ? asText(block['text']) : ''))
    .join('');
}

function partsIn(candidate: unknown): Json[] {
  const content = isJson(candidate) ? candidate['content'] : undefined;
  return isJson(content) ? listOf(content['parts']).filter(isJson) : [];
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
