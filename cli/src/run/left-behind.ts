import { exitCodes } from '../exit-codes.ts';
import { CliRefusal } from '../refusal.ts';
import type { Next } from '../result.ts';
import type { Session } from '../session/session.ts';

/** Ctrl-C ends this waiting with what goes on without the terminal, and the commands that take it up again. */
export async function sayOnInterrupt<T>(
  session: Session,
  left: { sentence: string; next: Next[] },
  wait: () => Promise<T>,
): Promise<T> {
  try {
    return await wait();
  } catch (error) {
    if (!session.signal.aborted) throw error;
    throw new CliRefusal('interrupted', left.sentence, { exit: exitCodes.interrupted, next: left.next });
  }
}
