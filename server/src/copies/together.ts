import { Problem } from '@gantry/contract/problems.ts';
import { isAway } from '../database/database.ts';

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
  const answer = async (taken: readonly Waiting<Asked, Answer>[]): Promise<void> => {
    try {
      const answered = await work(taken.map(({ asked }) => asked));
      for (const { resolve } of taken) resolve(answered);
    } catch (error) {
      if (taken.length === 1 || isAway(error) || error instanceof Problem) {
        for (const { reject } of taken) reject(error);
        return;
      }
      const half = Math.ceil(taken.length / 2);
      await answer(taken.slice(0, half));
      await answer(taken.slice(half));
    }
  };
  const run = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    await answer(taken);
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
