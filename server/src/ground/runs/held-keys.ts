// Keys that this process holds under leases, outside runs. A key may be the mutex of runs. Promise: while one process holds the key, no
// other executes a run of it, and the reverse. So the holder of a key and the executor of its runs are one process.
import type { Database } from '../database/database.ts';
import { holdLeases, renewMs, type Held } from '../queue/held-lease.ts';
import * as store from './held-key-store.ts';
import { Fenced } from './run.ts';

export interface HeldKey {
  key: string;
  /** Grows with every claim. A later holder has a higher one. */
  fence: number;
  /** Aborted with a `Fenced` one second before the end of the lease, unless it was prolonged. */
  lost: AbortSignal;
}

export interface HeldKeys {
  /** Claims the free ones of these keys, in random order and at most `most`. */
  claim(keys: readonly string[], most: number): Promise<HeldKey[]>;
  /** Other processes may claim these keys at once. */
  release(keys: readonly HeldKey[]): Promise<void>;
  /** The number of keys with this prefix that any process holds. */
  count(prefix: string): Promise<number>;
  /** Releases all. */
  stop(): Promise<void>;
}

export interface HeldKeySettings {
  /** The name of this process, the same as for its runs (worker.ts). */
  owner: string;
  lease_ms: number;
  /** The lease of a key that is not renewed continues to its end. */
  mayRenew: (key: string) => boolean;
  onError: (error: unknown) => void;
}

export function openHeldKeys(db: Database, { owner, lease_ms, mayRenew, onError }: HeldKeySettings): HeldKeys {
  // A connection of its own: a full pool delays no renewal.
  const lease_db = db.openPool({ max: 1, answer_ms: renewMs(lease_ms) });
  const open = new Map<HeldKey, Held>();
  const leases = holdLeases<store.KeyClaim>({
    lease_ms,
    mayRenew: ({ id }) => mayRenew(id),
    renew: async (claims) => await store.renew(lease_db, claims, lease_ms),
    reason: ({ id }) => new Fenced(id),
    onError,
  });

  function begin(claim: store.KeyClaim, asked_at: number): HeldKey {
    const held = leases.hold(claim, asked_at);
    const key: HeldKey = { key: claim.id, fence: claim.fence, lost: held.lost.signal };
    if (key.lost.aborted) return key;
    open.set(key, held);
    key.lost.addEventListener('abort', () => open.delete(key), { once: true });
    return key;
  }

  async function release(keys: readonly HeldKey[]): Promise<void> {
    const held = keys.filter((key) => open.has(key));
    for (const key of held) {
      open.get(key)?.release();
      open.delete(key);
    }
    if (held.length > 0)
      await store.release(
        db,
        held.map(({ key, fence }) => ({ id: key, fence })),
      );
  }

  return {
    claim: async (keys, most) => {
      const asked_at = performance.now();
      const claims = await store.claim(db, { owner, keys, most, lease_ms });
      return claims.map((claim) => begin(claim, asked_at));
    },
    release,
    count: async (prefix) => await store.count(db, prefix),
    stop: async () => {
      await release([...open.keys()]).catch(onError);
      await leases.stop();
      await lease_db.close();
    },
  };
}
