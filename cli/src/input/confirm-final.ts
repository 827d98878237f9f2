// A final change asks first: at a terminal a question names its effects, elsewhere `--yes` is required.
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
