import type { Reader } from '../../ground/database/database.ts';
import { adminsOf } from '../../people/principals/find.ts';
import { authorsOf } from '../../assets/registry/find.ts';
import { keyHolders } from '../../people/service-principals/find.ts';
import { partIn, type Makers } from './policy.ts';
import type { ApprovalRow } from './store.ts';

export interface Approver {
  /** Identifies the person: a free address may later belong to another one. */
  id: string;
  email: string;
}

type Request = Pick<ApprovalRow, 'id' | 'asset_id' | 'version_id' | 'submitted_by'>;

/**
 * The admins who may now decide each request. They are active admins of the platform or of the asset's team, without a part in the request.
 * Empty if the asset is not given.
 */
export async function approversOf(
  db: Reader,
  rows: readonly Request[],
  assets: ReadonlyMap<string, { team: { id: string } }>,
): Promise<Map<string, Approver[]>> {
  const teams = new Set([...assets.values()].map(({ team }) => team.id));
  const [admins, makers] = await Promise.all([adminsOf(db, [...teams]), makersOf(db, rows)]);
  return new Map(
    rows.map((row) => {
      const all = admins.get(assets.get(row.asset_id)?.team.id ?? '') ?? [];
      const own = makers.get(row.id);
      return [row.id, own === undefined ? [] : all.filter(({ id }) => partIn(own, id) === undefined)];
    }),
  );
}

/** By request id. */
export async function makersOf(db: Reader, rows: readonly Request[]): Promise<Map<string, Makers>> {
  const versions = rows.map((row) => row.version_id);
  const submitters = rows.map((row) => row.submitted_by);
  const [authors, holders] = await Promise.all([authorsOf(db, versions), keyHolders(db, submitters)]);
  return new Map(
    rows.map(({ id, submitted_by, version_id }) => [
      id,
      {
        submitter: submitted_by,
        key_holders: holders.get(submitted_by) ?? [],
        authors: authors.get(version_id) ?? [],
      },
    ]),
  );
}
