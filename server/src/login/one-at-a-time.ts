/** Works under the same key wait for each other, in the order they came; those under different keys do not. */
export function oneAtATime() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    // How the one before ended is its own caller's business.
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
