// A final change needs a confirmation: at a terminal an answer to a question, elsewhere `--yes`.
import { toggle } from '../command.ts';
import { CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';

export const yesFlag = toggle('Do not ask', 'y');

/** `deed` is the question without its question mark; `otherwise` is the result of a no. */
export async function confirmFinal(
  session: Session,
  { yes, deed, otherwise }: { yes: boolean; deed: string; otherwise: string },
): Promise<void> {
  if (!yes && !(await session.prompt.confirm(`${deed}? This cannot be undone.`, '--yes')))
    throw new CliRefusal('declined', otherwise);
}
