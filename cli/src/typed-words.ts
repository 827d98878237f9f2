import { commands, type Words } from './commands.ts';

const withValue = new Set(['--server', '--team']);

/**
 * The command that is typed, when the words name one; undefined for help of everything, for a typing error, and where
 * flags stand in a way that only the parser can tell.
 */
export function typedWords(words: readonly string[]): Words | undefined {
  const bare: string[] = [];
  for (let n = 0; n < words.length && bare.length < 3; n++) {
    const word = words[n] ?? '';
    if (withValue.has(word)) n += 1;
    else if (!word.startsWith('-')) bare.push(word);
  }
  for (let length = bare.length; length > 0; length--) {
    const name = bare.slice(0, length).join(' ');
    if (Object.hasOwn(commands, name)) return name as Words; // hasOwn just proved it
  }
  return undefined;
}
