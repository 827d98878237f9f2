/** The result, or undefined when it takes longer, or the signal ends first. */
export async function within<T>(ms: number, promise: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const giveUp = () => late.resolve(undefined);
  // A result that arrived while this process was busy is read first.
  const timer = setTimeout(() => setImmediate(giveUp), ms);
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}
