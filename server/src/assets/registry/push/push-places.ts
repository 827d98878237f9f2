// Limits on concurrent pushes in this process. A body is received before it takes an unpacking slot, so a slow sender delays
// only other senders. No user and no team takes all slots of either.
import { join } from 'node:path';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { fairSlots } from './fair-slots.ts';
import { receiveArchive, type PackedArchive } from '../archive/receive-archive.ts';

export interface PushPlaces {
  /** Receives the body, and works on it while the files are in memory, up to 200 MB each. */
  push<T>(who: PushShare, arriving: Arriving, work: (packed: PackedArchive) => Promise<T>): Promise<T>;
}

interface Arriving {
  body: AsyncIterable<Uint8Array>;
  signal: AbortSignal;
}

interface PushShare {
  user: string;
  team: string;
}

const wait_ms = 60_000;

export function pushPlaces(data_dir: string): PushPlaces {
  // One chunk of a body is in memory; the rest, up to 50 MB each, is on the disk.
  const receiving = fairSlots({
    max: 64,
    shares: { user: 4, team: 16 },
    wait_ms,
    busy: 'Too many pushes arrive at once.',
  });
  const unpacking = fairSlots({
    max: 4,
    shares: { user: 1, team: 2 },
    wait_ms,
    busy: 'Too many pushes arrive at once.',
  });
  const directory = join(data_dir, 'arriving');
  return {
    push: async (who, { body, signal }, work) =>
      // A received body keeps its receiving slot until it is unpacked. Otherwise a fast sender fills the disk with waiting bodies.
      await receiving(who, signal, async () => {
        await using packed = await receiveArchive(body, { directory, signal });
        return await unpacking(who, signal, async () => await work(packed));
      }),
  };
}

/** The share of a push. The body with a new agent's team has not arrived yet, so the pusher's current team counts. */
export function shareOf(user: SignedInCaller, asset: { team: { id: string } } | undefined): PushShare {
  return { user: user.id, team: asset?.team.id ?? user.active_team?.id ?? user.id };
}
