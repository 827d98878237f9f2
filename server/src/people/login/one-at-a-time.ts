/** Tasks with the same key run one after the other, in the order of arrival. Tasks with different keys run in parallel. */
export function oneAtATime() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    // The caller of the earlier task handles its error.
    const mine = (async () => {
      await before?.catch(() => {});
      return await work();
    })();
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
