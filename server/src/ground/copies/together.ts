import { Problem } from '@gantry/contract/problems.ts';
import { apart } from '../database/apart.ts';
import { isAway } from '../database/database.ts';

const isAboutNone = (error: unknown) => isAway(error) || error instanceof Problem;

interface Waiting<Asked, Answer> {
  asked: Asked;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * One piece of work for all waiting callers. A caller during the work waits for the next one, so the work always begins after the call. It
 * begins at the end of the event loop's turn, when a small request has arrived completely. A caller whose part cannot be done fails alone.
 */
export function together<Asked, Answer>(
  work: (asked: readonly Asked[]) => Promise<Answer>,
): (asked: Asked) => Promise<Answer> {
  let waiting: Waiting<Asked, Answer>[] = [];
  let isUnderWay = false;
  const answer = async (some: readonly Waiting<Asked, Answer>[]): Promise<void> => {
    const answered = await work(some.map(({ asked }) => asked));
    for (const { resolve } of some) resolve(answered);
  };
  const run = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    const { refused, left, away } = await apart(taken, answer, isAboutNone);
    for (const { item, cause } of refused) item.reject(cause);
    for (const { reject } of left) reject(away);
    if (waiting.length > 0) void run();
    else isUnderWay = false;
  };
  return async (asked) =>
    await new Promise<Answer>((resolve, reject) => {
      waiting.push({ asked, resolve, reject });
      if (isUnderWay) return;
      isUnderWay = true;
      setImmediate(() => void run());
    });
}
