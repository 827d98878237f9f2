// Events that wait for their reader. Their sender never waits, and stops when the reader is too slow.
export interface ToldEvents<T> {
  tell(event: T): void;
  /** The reader is too slow. */
  isFull(): boolean;
  /** Those that wait. */
  take(): T[];
  /** Resolves when one waits. */
  more(): Promise<void>;
}

const max_waiting_characters = 1024 * 1024;

export function toldEvents<T>(charactersOf: (event: T) => number): ToldEvents<T> {
  let waiting: T[] = [];
  let characters = 0;
  let coming = Promise.withResolvers<void>();
  return {
    tell: (event) => {
      characters += charactersOf(event);
      waiting.push(event);
      coming.resolve();
    },
    isFull: () => characters > max_waiting_characters,
    take: () => {
      const taken = waiting;
      [waiting, characters, coming] = [[], 0, Promise.withResolvers<void>()];
      return taken;
    },
    more: async () => await coming.promise,
  };
}

/** The events until the promise resolves, and then its value. */
export async function* toldUntil<T, Value>(
  events: ToldEvents<T>,
  promise: Promise<Value>,
): AsyncGenerator<T, Value, undefined> {
  const ended = promise.then((value) => ({ value }));
  ended.catch(() => {}); // it may reject while the reader takes its time, and is thrown below
  for (;;) {
    yield* events.take();
    const end = await Promise.race([ended, events.more()]);
    if (end === undefined) continue;
    yield* events.take();
    return end.value;
  }
}
