// The leases that this process holds. Promise: a holder stops acting before another process can take its row, even while the
// database does not answer. Must never happen: a renewal of a lease whose holder has stopped.
import { startLoop, type Loop } from './loop.ts';

export interface Held {
  /** Aborted when the lease is lost. The holder may abort it for its own reasons, and keeps the lease until the release. */
  readonly lost: AbortController;
  /** Ends the renewals. The row itself is unchanged. */
  release: () => void;
}

export interface HeldLeases<Item> extends Pick<Loop, 'stop'> {
  /** `asked_at` is `performance.now()` before the claim: the claimed lease begins later. */
  hold(item: Item, asked_at: number): Held;
}

export interface LeaseSettings<Item> {
  lease_ms: number;
  /** Prolongs the leases by `lease_ms` from now, and returns the ids of those that this process still has. */
  renew: (items: readonly Item[]) => Promise<readonly string[]>;
  /** The lease of an item that may not be renewed continues to its end. */
  mayRenew?: (item: Item) => boolean;
  /** The reason of the abort. */
  reason: (item: Item) => Error;
  onError: (error: unknown) => void;
}

/** The time between two renewals. A renewal that takes longer has failed. */
export function renewMs(lease_ms: number): number {
  return lease_ms / 4;
}

export function holdLeases<Item extends { id: string }>(settings: LeaseSettings<Item>): HeldLeases<Item> {
  const { lease_ms, renew, reason, onError, mayRenew = () => true } = settings;
  // The last sixth is for the work to end.
  const acting_ms = lease_ms - lease_ms / 6;
  const held = new Set<Holding<Item>>();

  function prolong(one: Holding<Item>, asked_at: number): void {
    clearTimeout(one.timer);
    // The monotonic clock also counts while the process is suspended.
    const left_ms = asked_at + acting_ms - performance.now();
    if (left_ms <= 0) lose(one);
    else one.timer = setTimeout(() => lose(one), left_ms);
  }

  function lose(one: Holding<Item>): void {
    release(one);
    one.lost.abort(reason(one.item));
  }

  function release(one: Holding<Item>): void {
    held.delete(one);
    clearTimeout(one.timer);
  }

  const renewing = startLoop(
    async () => {
      const all = [...held].filter(({ item }) => mayRenew(item));
      if (all.length === 0) return;
      const asked_at = performance.now();
      const ours = new Set(await renew(all.map(({ item }) => item)));
      for (const one of all) {
        if (!held.has(one)) continue;
        if (ours.has(one.item.id)) prolong(one, asked_at);
        else lose(one);
      }
    },
    { pause_ms: renewMs(lease_ms), failed_pause_ms: renewMs(lease_ms) / 4, onError },
  );

  return {
    hold: (item, asked_at) => {
      const one: Holding<Item> = { item, lost: new AbortController(), timer: undefined };
      held.add(one);
      prolong(one, asked_at);
      return { lost: one.lost, release: () => release(one) };
    },
    stop: async () => await renewing.stop(),
  };
}

interface Holding<Item> {
  item: Item;
  lost: AbortController;
  timer: NodeJS.Timeout | undefined;
}
