import type { Reader } from '../database/database.ts';
import { adminsOf } from '../principals/find.ts';
import { authorsOf, type AssetRecord } from '../registry/find.ts';
import { keyHolders } from '../service-principals/find.ts';
import type { ApprovalRow } from './store.ts';

export interface Approver {
  /** By which they are told apart: an address that is free again may be another person's. */
  id: string;
  email: string;
}

/**
 * Who may decide about each of these requests, as things stand: active admins of the platform and of the asset's team, but nobody whose own
 * it is. Nobody where the asset is not among those given.
 */
export async function approversOf(
  db: Reader,
  rows: readonly ApprovalRow[],
  assets: ReadonlyMap<string, AssetRecord>,
): Promise<Map<string, Approver[]>> {
  const admins = new Map<string, Approver[]>();
  for (const { team } of assets.values()) if (!admins.has(team.id)) admins.set(team.id, await adminsOf(db, team.id));
  const authors = await authorsOf(
    db,
    rows.map((row) => row.version_id),
  );
  const holders = await holdersOf(db, rows);
  return new Map(
    rows.map((row) => {
      const own = [row.submitted_by, ...(holders.get(row.id) ?? []), ...(authors.get(row.version_id) ?? [])];
      const all = admins.get(assets.get(row.asset_id)?.team.id ?? '') ?? [];
      return [row.id, all.filter(({ id: admin }) => !own.includes(admin))];
    }),
  );
}

/** Ids of who was shown a key of the service principal that submitted, by request. */
async function holdersOf(db: Reader, rows: readonly ApprovalRow[]): Promise<Map<string, string[]>> {
  const machines = rows.filter(({ submitter }) => submitter.startsWith('principal:'));
  const found = await Promise.all(
    machines.map(async ({ id, submitted_by }) => {
      const people = (await keyHolders(db, [submitted_by])).map((holder) => holder.id);
      return [id, people] as const;
    }),
  );
  return new Map(found);
}
