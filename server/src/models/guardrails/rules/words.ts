// Lists of words and phrases, read as their reader sees them: without case, accents, look-alikes and invisible characters.
import { originalSpan, replaceLookAlikes } from './pii/normalise.ts';

/** The first listed phrase that a text has; undefined when it has none. */
export function findWords(phrases: readonly string[]): (text: string) => string | undefined {
  const listed = phrases.map((phrase) => ({ phrase, forms: formsOf(phrase) }));
  return (text) => {
    const read = formsOf(text);
    return listed.find(({ forms }) => forms.some((form, n) => hasPhrase(read[n] ?? read[0] ?? '', form)))?.phrase;
  };
}

/** The offset from which a phrase of at most `longest` characters can still begin or continue. */
export function openForPhrases(text: string, longest: number): number {
  const normal = replaceLookAlikes(text);
  const at = normal.text.length - longest - 1;
  return at <= 0 ? 0 : originalSpan(normal, at - 1, at).end;
}

/** Without look-alikes, for words in Latin letters; and as written, for all other scripts. */
function formsOf(text: string): string[] {
  const written = text.normalize('NFKD').toLowerCase().replaceAll(unread, '').replaceAll(between, ' ');
  return [replaceLookAlikes(written).text, written];
}

const unread = /[\p{Default_Ignorable_Code_Point}\p{Mn}]/gu;
/** A compound is written with a hyphen, a space or an underscore. */
const between = /[\s\p{Pd}_]+/gu;

function hasPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (!isJoined(text, at) && !isJoined(text, at + phrase.length)) return true;
  }
  return false;
}

/** True inside a word. Scripts without spaces have no word borders. */
const isJoined = (text: string, at: number): boolean => insideWord.test(text.slice(Math.max(0, at - 1), at + 1));
const insideWord =
  /^[\p{L}\p{N}](?<![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}]$/u;
