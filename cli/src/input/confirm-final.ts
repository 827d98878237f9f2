// What cannot be undone asks first: at a terminal it is a question that names what goes, elsewhere `--yes` has to be there.
import { toggle } from '../command.ts';
import { Refusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';

export const yesFlag = toggle('Do not ask', 'y');

/** `deed` is the question without its question mark; `otherwise` is what is true after a no. */
export async function confirmFinal(
  session: Session,
  { yes, deed, otherwise }: { yes: boolean; deed: string; otherwise: string },
): Promise<void> {
  if (!yes && !(await session.prompt.confirm(`${deed}? This cannot be undone.`, '--yes')))
    throw new Refusal('declined', otherwise);
}
