import { commands, type Words } from '../commands.ts';

const withValue = new Set(['--server', '--team']);

/**
 * The command of the words. Undefined for general help, for a typing error, and for flags in unusual places.
 */
export function typedWords(words: readonly string[]): Words | undefined {
  const bare = bareWords(words).slice(0, 3);
  for (let length = bare.length; length > 0; length--) {
    const name = bare.slice(0, length).join(' ');
    if (Object.hasOwn(commands, name)) return name as Words; // hasOwn just proved it
  }
  return undefined;
}

/** `svc help deploy` is `svc deploy --help`. Unknown words stay, so that the parser can suggest a command. */
export function helpForm(words: readonly string[]): readonly string[] {
  const [first, ...about] = bareWords(words);
  if (first !== 'help') return words;
  const typed = typedWords(about)?.split(' ') ?? about;
  const known = Object.keys(commands).some((name) => `${name} `.startsWith([...typed, ''].join(' ')));
  return known ? [...typed, '--help'] : typed;
}

/** The name of a flag or an argument on the command line: `waitApproval` is `wait-approval`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function bareWords(words: readonly string[]): string[] {
  const bare: string[] = [];
  for (let n = 0; n < words.length; n++) {
    const word = words[n] ?? '';
    if (withValue.has(word)) n += 1;
    else if (!word.startsWith('-')) bare.push(word);
  }
  return bare;
}
