import type { Approval } from '@gantry/contract/agents/approvals.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { approversOf } from './approvers.ts';
import { waitingFor } from './policy.ts';
import { approvalRecords } from './record.ts';
import * as store from './store.ts';
import { votesOf } from './vote-store.ts';

export interface OfTeam {
  /** All teams when absent. */
  team_id?: string | undefined;
  limit: number;
}

/** The number of requests that wait for the caller's decision. */
export async function countWaiting(db: Reader, caller: SignedInCaller): Promise<number> {
  return (await waiting(db, caller)).length;
}

/** The requests that wait for the caller's decision, the oldest first. */
export async function listWaiting(
  db: Reader,
  caller: SignedInCaller,
  { team_id, limit }: OfTeam,
): Promise<{ count: number; items: Approval[] }> {
  const rows = await waiting(db, caller, team_id);
  return { count: rows.length, items: await approvalRecords(db, caller, rows.slice(0, limit), { inside: true }) };
}

/** The caller's requests that were rejected in the last days, and that they have not submitted again. */
export async function listRejected(
  db: Reader,
  caller: SignedInCaller,
  { days, ...of }: OfTeam & { days: number },
): Promise<Approval[]> {
  const { team_id, limit } = of;
  const rows = await store.rejectedOf(db, caller.id, { team_id, days, limit });
  return await approvalRecords(db, caller, rows, { inside: true });
}

/** The caller's requests that are pending, or were approved in the last days. */
export async function listOwn(
  db: Reader,
  caller: SignedInCaller,
  { days, ...of }: OfTeam & { days: number },
): Promise<Approval[]> {
  const { team_id, limit } = of;
  const rows = await store.ownOpen(db, caller.id, { team_id, days, limit });
  return await approvalRecords(db, caller, rows, { inside: true });
}

async function waiting(db: Reader, caller: SignedInCaller, team_id?: string): Promise<store.OfTeamRow[]> {
  return await keepWaiting(db, caller, await store.decidable(db, caller, team_id));
}

/** Those of the rows that wait for the caller's decision. */
export async function keepWaiting(
  db: Reader,
  caller: SignedInCaller,
  rows: readonly store.OfTeamRow[],
): Promise<store.OfTeamRow[]> {
  if (rows.length === 0) return [];
  const assets = new Map(rows.map((row) => [row.asset_id, { team: { id: row.team_id } }]));
  const [approvers, votes] = await Promise.all([approversOf(db, rows, assets), votesOf(db, rows)]);
  return rows.filter((row) =>
    waitingFor(row, approvers.get(row.id) ?? [], votes.get(row.id) ?? []).waits_for.some(({ id }) => id === caller.id),
  );
}
