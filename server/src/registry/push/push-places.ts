// Where pushes wait for each other, in this process. A body is received before its turn to be unpacked begins: a slow sender holds up
// nobody but those who send beside it. No user and no team takes all places of either.
import { join } from 'node:path';
import type { SignedInCaller } from '../../access/caller.ts';
import { fairSlots } from './fair-slots.ts';
import { receiveArchive, type PackedArchive } from '../archive/receive-archive.ts';

export interface PushPlaces {
  /** Receives the body, and works on it for as long as the files are in memory, up to 200 MB each. */
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
  // Of what arrives there is one chunk in memory; the rest of up to 50 MB each is on the disk.
  const receiving = fairSlots({
    max: 64,
    shares: { user: 4, team: 16 },
    wait_ms,
    busy: 'Too many pushes arrive at once.',
  });
  const unpacking = fairSlots({
    max: 4,
    shares: { user: 2, team: 3 },
    wait_ms,
    busy: 'Too many pushes arrive at once.',
  });
  const directory = join(data_dir, 'arriving');
  return {
    push: async (who, { body, signal }, work) =>
      // What has arrived keeps its place until it is unpacked: else who sends fast fills the disk with what waits.
      await receiving(who, signal, async () => {
        await using packed = await receiveArchive(body, { directory, signal });
        return await unpacking(who, signal, async () => await work(packed));
      }),
  };
}

/** Which share a push counts to. The team of a new agent stands in what has not arrived yet: it counts to the one that its pusher works in. */
export function shareOf(user: SignedInCaller, asset: { team: { id: string } } | undefined): PushShare {
  return { user: user.id, team: asset?.team.id ?? user.active_team?.id ?? user.id };
}
