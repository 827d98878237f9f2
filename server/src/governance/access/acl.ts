// ACL entries of assets, by immutable ids. They are written with the asset. A later change of them is a governed change of its own.
import type { Action, PrincipalType } from '@gantry/contract/roles.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../ground/database/sql.ts';
import type { SignedInCaller } from './caller.ts';
import type { GovernedTx } from './change.ts';
import type { Entry } from './subject.ts';

/** A stored ACL entry. */
export interface StoredEntry extends Entry {
  id: string;
  asset_id: string;
  created_at: string;
}

/** The principal of an entry, by immutable id; null for the whole organisation. */
export interface EntryPrincipal {
  principal_type: PrincipalType;
  principal_id: string | null;
}

export const entryColumns = sql`id, asset_id, principal_type, principal_id, actions, created_at`;

/** A service principal that creates an asset for its owner may also push the next version. */
export function entryOfMaker({ kind, id }: SignedInCaller): Entry[] {
  return kind === 'principal' ? [{ principal_type: kind, principal_id: id, actions: ['read', 'use', 'write'] }] : [];
}

/** Also the entries on other assets about this one. */
export async function removeEntries(tx: GovernedTx, asset_id: string): Promise<void> {
  await tx.write(
    'permission',
    sql`delete from permission where asset_id = ${asset_id}
      or (principal_type in ('agent', 'orchestration') and principal_id = ${asset_id}) returning id`,
  );
}

/**
 * A column with the entries of each selected asset, under a condition on `permission p`. One statement reads the asset and the caller's
 * rights as of one moment.
 */
export function entriesColumn(asset_id: Sql, condition: Sql): Sql {
  return sql`(
    select coalesce(json_agg(json_build_object('principal_type', p.principal_type, 'principal_id', p.principal_id, 'actions', p.actions) order by p.id), '[]')
    from permission p where p.asset_id = ${asset_id} and ${condition}) as entries`;
}

/** whereCovers() for a caller that the same statement reads. `principals` is a query for the ids whose entries cover the caller. */
export function whereAboutAny(principals: Sql): Sql {
  return sql`(p.principal_type = 'org'
    or (p.principal_type <> 'org' and p.principal_id = any(array(${principals}))))`;
}

export interface EntryQuery {
  asset_id?: string | undefined;
  principal_type?: PrincipalType | undefined;
  principal_id?: string | undefined;
  after?: { asset_id: string; id: string } | undefined;
  limit: number;
}

/** Sorted by asset. */
export async function listEntries(db: Reader, query: EntryQuery): Promise<StoredEntry[]> {
  const { asset_id, principal_type, principal_id, after, limit } = query;
  const conditions: Sql[] = [];
  if (asset_id !== undefined) conditions.push(sql`asset_id = ${asset_id}`);
  if (principal_type !== undefined) conditions.push(sql`principal_type = ${principal_type}`);
  if (principal_id !== undefined) conditions.push(sql`principal_id = ${principal_id}`);
  if (after !== undefined) conditions.push(sql`(asset_id, id) > (${after.asset_id}, ${after.id})`);
  return await db.all<StoredEntry>(
    sql`select ${entryColumns} from permission where ${allOf(conditions)} order by asset_id, id limit ${limit}`,
  );
}

export async function entryById(db: Reader, id: string): Promise<StoredEntry | undefined> {
  return await db.one<StoredEntry>(sql`select ${entryColumns} from permission where id = ${id}`);
}

/** The entries about everybody and about these principals. */
export async function entriesAbout(
  db: Reader,
  asset_id: string,
  principal_ids: readonly string[],
): Promise<StoredEntry[]> {
  return await db.all<StoredEntry>(sql`
    select ${entryColumns} from permission p where asset_id = ${asset_id} and ${whereAboutAny(sql`select unnest(${principal_ids}::uuid[])`)}
    order by created_at, id`);
}

export async function entriesOf(db: Reader, asset_id: string): Promise<StoredEntry[]> {
  return await db.all<StoredEntry>(
    sql`select ${entryColumns} from permission where asset_id = ${asset_id} order by created_at, id`,
  );
}

export function isAbout(entry: EntryPrincipal, { principal_type, principal_id }: EntryPrincipal): boolean {
  return entry.principal_type === principal_type && entry.principal_id === principal_id;
}

/** isAbout() as a condition on rows of `permission`. */
export function whereAbout({ principal_type, principal_id }: EntryPrincipal): Sql {
  return sql`principal_type = ${principal_type} and principal_id is not distinct from ${principal_id}`;
}

/** Locks the entries of these assets until the transaction ends, and returns the references. A higher folder provides it. */
export type HoldAssets = (tx: GovernedTx, ids: readonly string[]) => Promise<{ id: string; ref: string }[]>;

/** Deletes all entries about a removed principal, and returns their number. Throws `last_admin` if an asset would lose its only admin. */
export async function removeEntriesOf(
  tx: GovernedTx,
  holdAssets: HoldAssets,
  { shown, ...principal }: EntryPrincipal & { shown: string },
): Promise<number> {
  const held = await holdAdministered(tx, holdAssets, principal);
  const alone = await assetsWithout(tx, principal);
  const refs = held.filter(({ id }) => alone.includes(id)).map(({ ref }) => ref);
  if (refs.length > 0) throw lastAdmin(shown, refs);
  const rows = await tx.write('permission', sql`delete from permission where ${whereAbout(principal)} returning id`);
  return rows.length;
}

/**
 * Locks the assets that name this principal as an admin, until the transaction ends. Of two admins who are removed at the same moment, the
 * second sees the removal of the first.
 */
export async function holdAdministered(
  tx: GovernedTx,
  holdAssets: HoldAssets,
  principal: EntryPrincipal,
): Promise<{ id: string; ref: string }[]> {
  const rows = await tx.all<{ asset_id: string }>(
    sql`select asset_id from permission where ${whereAbout(principal)} and 'admin' = any(actions)`,
  );
  return await holdAssets(
    tx,
    rows.map(({ asset_id }) => asset_id),
  );
}

/** Ids of the assets that have no other admin than this principal. */
async function assetsWithout(tx: GovernedTx, principal: EntryPrincipal): Promise<string[]> {
  const rows = await tx.all<Entry & { asset_id: string }>(sql`
    select asset_id, principal_type, principal_id, actions from permission where 'admin' = any(actions) and asset_id in (
      select asset_id from permission where ${whereAbout(principal)} and 'admin' = any(actions))`);
  const others = Map.groupBy(rows, ({ asset_id }) => asset_id);
  return [...others].flatMap(([asset_id, entries]) =>
    hasAdmin(entries.filter((entry) => !isAbout(entry, principal))) ? [] : [asset_id],
  );
}

/** An asset's entries always contain one with `admin`. */
export function hasAdmin(entries: readonly { actions: readonly Action[] }[]): boolean {
  return entries.some(({ actions }) => actions.includes('admin'));
}

export function lastAdmin(shown: string, refs: readonly string[]): Problem {
  return new Problem('last_admin', {
    detail: `Only ${shown} has admin permission on ${refs.join(', ')}.`,
    hint: 'Grant `admin` to somebody else first.',
  });
}
