import type { QuestionField } from '@gantry/contract/assets/tool-questions.ts';

const secrets =
  /pass ?word|pass ?phrase|pass ?code|passwd|secret|token|api ?key|private ?key|access ?key|credential|credit|card ?num|cvv|cvc|\bpin\b|\biban\b|\botp\b|seed ?phrase/i;

/** By the names and titles of the fields. The protocol forbids servers to ask for secrets in a form. */
export function asksForSecrets(fields: readonly QuestionField[]): boolean {
  return fields.some(({ name, title }) => secrets.test(`${asWords(name)} ${asWords(title)}`));
}

/** `apiKey`, `api_key` and `API key` are the same words; characters that hide are none. */
const asWords = (text: string) =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-.\s]+/g, ' ');
