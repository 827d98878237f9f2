/**
 * One piece of work for all waiting callers. A caller during the work waits for the next one, so the work always begins after the call. It
 * begins at the end of the event loop's turn, when a small request has arrived completely.
 */
export function together<Asked, Answer>(
  work: (asked: readonly Asked[]) => Promise<Answer>,
): (asked: Asked) => Promise<Answer> {
  let waiting: { asked: Asked; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = [];
  let isUnderWay = false;
  const run = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    try {
      const answer = await work(taken.map(({ asked }) => asked));
      for (const { resolve } of taken) resolve(answer);
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
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
