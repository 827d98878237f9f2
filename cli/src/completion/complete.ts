import { createSession, type GlobalFlags } from '../session/session.ts';
import { sanitiseLine } from '../view/sanitise.ts';
import { findCandidates } from './candidates.ts';
import { findNames } from './find-names.ts';

type Parts = Omit<Parameters<typeof createSession>[0], 'globals'>;

/** Answers a shell: one candidate per line, with its description after a tab. */
export async function complete(words: readonly string[], parts: Parts): Promise<void> {
  const found = await findCandidates(words, async (names) => {
    const session = createSession({ ...parts, globals: globalsIn(words) });
    return await findNames(session, names);
  });
  for (const { value, about } of found) parts.output.line(about === '' ? value : `${value}\t${sanitiseLine(about)}`);
}

function globalsIn(words: readonly string[]): GlobalFlags {
  const after = (flag: string): string | undefined => words[words.indexOf(flag) + 1];
  return {
    json: false,
    no_input: true,
    server: words.includes('--server') ? after('--server') : undefined,
    team: words.includes('--team') ? after('--team') : undefined,
  };
}
