import type { UserCaller } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { approversOf } from './approvers.ts';
import { waitingFor } from './policy.ts';
import * as store from './store.ts';
import { votesOf } from './vote-store.ts';

/** The number of requests that wait for the caller's decision. */
export async function countWaiting(db: Reader, caller: UserCaller): Promise<number> {
  const rows = await store.decidable(db, caller);
  const assets = new Map(rows.map(({ asset_id, team_id }) => [asset_id, { team: { id: team_id } }]));
  const [approvers, votes] = await Promise.all([approversOf(db, rows, assets), votesOf(db, rows)]);
  return rows.filter((row) =>
    waitingFor(row, approvers.get(row.id) ?? [], votes.get(row.id) ?? []).waits_for.some(({ id }) => id === caller.id),
  ).length;
}
