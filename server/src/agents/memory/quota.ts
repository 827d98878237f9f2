// How much an agent keeps for one caller. Measured as stored, so a compressed conversation counts as what it takes.
import { LRUCache } from 'lru-cache';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { ThreadName } from '../invoke/turns.ts';
import { keptBytes } from './thread-store.ts';

/** Of one agent for one caller: threads and items together. */
const most_bytes = 1024 ** 3;

/** Each step of a run asks, and a caller can have thousands of threads. */
const known = new LRUCache<string, number>({ max: 10_000, ttl: 10_000 });

/** Throws `memory_full`. */
export async function refuseFull(
  db: Reader,
  { agent_id, owner_id }: Pick<ThreadName, 'agent_id' | 'owner_id'>,
  more: number,
): Promise<void> {
  const name = `${agent_id} ${owner_id}`;
  const kept = known.get(name) ?? (await keptBytes(db, { agent_id, owner_id }));
  known.set(name, kept + more, { noUpdateTTL: true });
  if (kept + more <= most_bytes) return;
  throw new Problem('memory_full', {
    detail: `An agent keeps at most ${most_bytes / 1024 ** 2} MB for one caller.`,
  });
}
