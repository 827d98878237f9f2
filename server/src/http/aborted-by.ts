/** What is in the set ends with the signal. One listener serves all requests. */
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
