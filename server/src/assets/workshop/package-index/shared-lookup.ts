import { lookup } from 'node:dns/promises';

const kept_seconds = 30;

/**
 * Looks up a host's address once for all callers within half a minute. uv opens fifty connections at a time. That many queries
 * overload some resolvers, and a dropped answer delays a connection by five seconds. A failure is not kept.
 */
export function sharedLookup(
  ask: (host: string) => Promise<{ address: string }> = lookup,
): (host: string) => Promise<string> {
  const answers = new Map<string, { answer: Promise<string>; until: number }>();
  return async (host) => {
    const kept = answers.get(host);
    if (kept !== undefined && performance.now() < kept.until) return await kept.answer;
    const answer = ask(host).then(({ address }) => address);
    answers.set(host, { answer, until: performance.now() + kept_seconds * 1000 });
    answer.catch(() => answers.delete(host));
    return await answer;
  };
}
