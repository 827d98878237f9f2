/** A set of open requests. The signal aborts them all, with one listener. */
export function abortedBy(signal: AbortSignal): Pick<Set<AbortController>, 'add' | 'delete'> {
  const open = new Set<AbortController>();
  signal.addEventListener('abort', () => {
    for (const each of open) each.abort(signal.reason);
  });
  return {
    add: (one) => {
      if (signal.aborted) one.abort(signal.reason);
      return open.add(one);
    },
    delete: (one) => open.delete(one),
  };
}
