// Compares what clients were told with the journal and with what the test did. Lost: a call without an end. Twice: work that was begun again.
// Blamed wrongly: an end that the journal or the faults contradict.
import type { Begun } from './journal.ts';
import type { Ended } from './load-clients.ts';

export interface Fault {
  what: string;
  /** Its effect is between `from` and `to`, by the clock in milliseconds. */
  from: number;
  to: number;
  /** Everything served again. */
  until: number;
  /** That died, or may have been killed by the service because it did not answer. The first twelve characters of its id. */
  container?: string;
  /** Killed with -9. */
  ingress?: number;
}

export interface Verdict {
  lost: string[];
  twice: string[];
  blamed: string[];
}

export function judge(ended: readonly Ended[], begun: readonly Begun[], faults: readonly Fault[]): Verdict {
  const byCall = Map.groupBy(begun, ({ call }) => call);
  const byRun = Map.groupBy(begun, ({ run_id }) => run_id);
  // The second member of an orchestration gets the answer of the first one.
  const begunOf = ({ call }: Ended) => [...(byCall.get(call) ?? []), ...(byCall.get(`${call}+`) ?? [])];
  const during = ({ from, to }: Ended, fault: Fault) => fault.from <= to && fault.until >= from;
  const unbegun = (one: Ended) => (begunOf(one).length < runsOf(one) ? undefined : 'it had begun');
  const wrong = (one: Ended): string | undefined => {
    const started = begunOf(one);
    const died = faults.filter((fault) => fault.container !== undefined && during(one, fault));
    switch (one.end) {
      case 'answered':
        return started.length === runsOf(one) ? undefined : `begun ${started.length} times`;
      case 'interrupted':
      case 'broken':
        // The container may die after the start of the run, and before the agent's first line.
        return died.some(
          (fault) =>
            one.is_told_begun === true ||
            started.some(({ container, at }) => container === fault.container && at <= fault.to),
        )
          ? undefined
          : 'no container died that had begun it';
      case 'unknown':
        return died.length > 0 ? undefined : 'no container died';
      case 'restarting':
        return died.length > 0 ? unbegun(one) : 'no container died';
      case 'not_begun':
      case 'starting':
        return unbegun(one);
      case 'cut':
        return undefined;
      default:
        return 'no fault explains it';
    }
  };
  // A client without a key has no end when its own ingress was killed.
  const isLost = (one: Ended) =>
    one.end === 'none' ||
    one.end === 'run_gone' ||
    (one.end === 'cut' && !faults.some((fault) => fault.ingress === one.ingress && during(one, fault)));
  const say = (one: Ended, why = '') => `${JSON.stringify(one)} ${why} ${JSON.stringify(begunOf(one))}`;
  return {
    lost: ended.filter(isLost).map((one) => say(one)),
    twice: [...byCall, ...byRun].filter(([, times]) => times.length > 1).map(([, times]) => JSON.stringify(times)),
    blamed: ended.flatMap((one) => {
      const why = isLost(one) ? undefined : wrong(one);
      return why === undefined ? [] : [say(one, why)];
    }),
  };
}

/** How many runs an answered call has begun. */
const runsOf = ({ kind }: Ended) => (kind === 'orchestration' ? 2 : 1);
