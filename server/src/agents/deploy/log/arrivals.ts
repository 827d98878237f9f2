// The items of several streams as they arrive. One item of each stream waits for the reader.

export interface Arrivals<Item> {
  has(key: string): boolean;
  add(key: string, stream: AsyncIterable<Item>): void;
  /** Undefined after `wait_ms` without an item, and at the abort. Throws the error of a stream. */
  next(wait_ms: number): Promise<{ key: string; item: Item } | undefined>;
}

export function arrivals<Item>(signal: AbortSignal): Arrivals<Item> {
  const open = new Set<string>();
  const came: { key: string; reader: AsyncIterator<Item>; result?: IteratorResult<Item>; error?: unknown }[] = [];
  let wake = () => {};
  signal.addEventListener('abort', () => wake(), { once: true });

  function ask(key: string, reader: AsyncIterator<Item>): void {
    void reader
      .next()
      .then(
        (result) => came.push({ key, reader, result }),
        (error: unknown) => came.push({ key, reader, error }),
      )
      .finally(() => wake());
  }

  return {
    has: (key) => open.has(key),
    add: (key, stream) => {
      open.add(key);
      ask(key, stream[Symbol.asyncIterator]());
    },
    next: async (wait_ms) => {
      const until = performance.now() + wait_ms;
      while (!signal.aborted) {
        const first = came.shift();
        if (first === undefined) {
          const left_ms = until - performance.now();
          if (left_ms <= 0) return undefined;
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, left_ms);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
          continue;
        }
        const { key, reader, result } = first;
        if (result === undefined) throw first.error;
        if (result.done === true) {
          open.delete(key);
          continue;
        }
        ask(key, reader);
        return { key, item: result.value };
      }
      return undefined;
    },
  };
}
