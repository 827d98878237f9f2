// Decides which process acts on the containers of an agent on a target: the process with the lease of the agent's key. The key is the mutex of the
// agent's runs there (deployMutex). Inside the process, one operation at a time works under a key, and the keeper gives way to operations. A keeper
// has leases only of targets that answer, and they are not renewed after a target stopped answering. The keepers of a target share its agents
// evenly. Must never happen: work on containers by a process that lost the lease. Its signal is aborted a second before.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../ground/database/database.ts';
import { openHeldKeys, type HeldKey } from '../../../ground/runs/held-keys.ts';

export interface Lease {
  /** A later holder has a higher one. */
  fence: number;
  /** Aborted when the work must end. */
  signal: AbortSignal;
  /** Aborted when the lease is lost. Then another process acts on the agent. */
  lost: AbortSignal;
}

type Work<T> = (lease: Lease) => Promise<T>;

export interface AgentLeases {
  /** The name of this process. Its worker has the same. */
  owner: string;
  /** Waits for the operation before it, and for the lease while another process has it. */
  hold<T>(key: string, signal: AbortSignal, work: Work<T>): Promise<T>;
  /** For the keeper. Does nothing and returns undefined without the lease, and while an operation works under the key. */
  ifFree<T>(key: string, signal: AbortSignal, work: Work<T>): Promise<T | undefined>;
  /** Called after each answer of the target, with the keys of all its agents. Claims a fair share, and returns the surplus. */
  share(target: string, keys: readonly string[]): Promise<void>;
  /** No lease of the target is renewed until its next answer. */
  unanswered(target: string): void;
  /** Releases all leases. */
  stop(): Promise<void>;
}

export interface AgentLeaseSettings {
  owner: string;
  onError: (error: unknown) => void;
  /** A dead process loses its agents after this time. Another keeper takes them within its next turn. */
  lease_ms?: number;
}

interface Holding {
  lease: HeldKey;
  /** The target whose keeper has the key. Undefined for a key that an operation took, and releases at its end. */
  target: string | undefined;
}

interface Working {
  ended: Promise<unknown>;
  /** Aborted to interrupt the keeper. Absent for an operation, which nothing interrupts. */
  giveWay: AbortController | undefined;
}

const try_again_ms = 200;

export function openAgentLeases(db: Database, { owner, onError, lease_ms = 6000 }: AgentLeaseSettings): AgentLeases {
  const held = new Map<string, Holding>();
  const working = new Map<string, Working>();
  const answered_at = new Map<string, number>();
  const keys = openHeldKeys(db, { owner, lease_ms, mayRenew, onError });

  // An operation reports a silent target itself. A turn that takes longer than this time counts as no answer.
  function mayRenew(key: string): boolean {
    const target = held.get(key)?.target;
    const worker = working.get(key);
    if (target === undefined || (worker !== undefined && worker.giveWay === undefined)) return true;
    return performance.now() - (answered_at.get(target) ?? -Infinity) < lease_ms / 2;
  }

  async function take(wanted: readonly string[], { most, target }: { most: number; target?: string }): Promise<void> {
    for (const lease of await keys.claim(wanted, most)) {
      if (lease.lost.aborted) continue;
      const one = { lease, target };
      held.set(lease.key, one);
      lease.lost.addEventListener('abort', () => forget(one), { once: true });
    }
  }

  // A lost key may have been claimed again.
  function forget(one: Holding): void {
    if (held.get(one.lease.key) === one) held.delete(one.lease.key);
  }

  async function release(some: readonly Holding[]): Promise<void> {
    for (const one of some) forget(one);
    await keys.release(some.map(({ lease }) => lease));
  }

  async function waitForLease(key: string, signal: AbortSignal): Promise<Holding> {
    for (;;) {
      signal.throwIfAborted();
      const one = held.get(key);
      if (one !== undefined) return one;
      await take([key], { most: 1 });
      if (!held.has(key)) await sleep(try_again_ms, undefined, { signal }).catch(() => {}); // the loop throws the reason
    }
  }

  async function occupy<T>(key: string, giveWay: AbortController | undefined, work: () => Promise<T>): Promise<T> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    working.set(key, { ended, giveWay });
    try {
      return await work();
    } finally {
      working.delete(key);
      end();
    }
  }

  return {
    owner,

    hold: async (key, signal, work) => {
      for (let other = working.get(key); other !== undefined; other = working.get(key)) {
        other.giveWay?.abort(new GaveWay());
        await other.ended;
      }
      return await occupy(key, undefined, async () => {
        const one = await waitForLease(key, signal);
        try {
          return await work(leaseOf(one, signal));
        } catch (error) {
          // A run lets go, and continues in the process that has the lease.
          one.lease.lost.throwIfAborted();
          throw error;
        } finally {
          if (one.target === undefined) await release([one]).catch(onError);
        }
      });
    },

    ifFree: async (key, signal, work) => {
      const one = held.get(key);
      if (one === undefined || working.has(key)) return undefined;
      const giveWay = new AbortController();
      const lease = leaseOf(one, signal, giveWay.signal);
      try {
        return await occupy(key, giveWay, async () => await work(lease));
      } catch (error) {
        if (giveWay.signal.aborted || lease.lost.aborted) return undefined;
        throw error;
      }
    },

    share: async (target, wanted) => {
      answered_at.set(target, performance.now());
      // Each keeper of the target holds one key that names it.
      const presence = `keeper:${target}:`;
      const own = `${presence}${owner}`;
      if (!held.has(own)) await take([own], { most: 1, target });
      const fair = Math.ceil(wanted.length / Math.max(1, await keys.count(presence)));
      const all = new Set(wanted);
      const kept = [...held.values()].filter((one) => one.target === target && one.lease.key !== own);
      const idle = kept.filter(({ lease: { key } }) => !working.has(key));
      const gone = idle.filter(({ lease: { key } }) => !all.has(key));
      const surplus = Math.max(0, kept.length - gone.length - fair);
      await release([...gone, ...idle.filter((one) => !gone.includes(one)).slice(0, surplus)]);
      const missing = fair - (kept.length - gone.length);
      const others = wanted.filter((key) => !held.has(key));
      if (missing > 0 && others.length > 0) await take(others, { most: missing, target });
    },

    unanswered: (target) => void answered_at.delete(target),

    stop: async () => await keys.stop(),
  };
}

function leaseOf({ lease: { fence, lost } }: Holding, ...signals: AbortSignal[]): Lease {
  return { fence, lost, signal: AbortSignal.any([lost, ...signals]) };
}

class GaveWay extends Error {}
