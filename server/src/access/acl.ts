// ACL rows of assets. They are written with the asset, by immutable ids; a change of them is a governed change of their own.
import { actions as allActions, type Action, type AssetKind, type PrincipalType } from '@gantry/contract/roles.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../database/database.ts';
import { allOf, sql, type Sql } from '../database/sql.ts';
import type { SignedInCaller } from './caller.ts';
import type { GovernedTx } from './change.ts';
import type { Entry } from './subject.ts';

/** An ACL row as it is stored. */
export interface StoredEntry extends Entry {
  id: string;
  asset_id: string;
  created_at: string;
}

/** Whom a row is about, by immutable id; null for the organisation as a whole. */
export interface EntryPrincipal {
  principal_type: PrincipalType;
  principal_id: string | null;
}

const columns = sql`id, asset_id, principal_type, principal_id, actions, created_at`;

/** A service principal that makes an asset for its owner makes the next version, too. */
export function entryOfMaker({ kind, id }: SignedInCaller): Entry[] {
  return kind === 'principal' ? [{ principal_type: kind, principal_id: id, actions: ['read', 'use', 'write'] }] : [];
}

export async function writeEntries(tx: GovernedTx, asset_id: string, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    await hold(tx, entry);
    await tx.write(
      'permission',
      sql`insert into permission (asset_id, principal_type, principal_id, actions)
          values (${asset_id}, ${entry.principal_type}, ${entry.principal_id}, ${entry.actions}) returning id`,
    );
  }
}

export async function removeEntries(tx: GovernedTx, asset_id: string): Promise<void> {
  await tx.write('permission', sql`delete from permission where asset_id = ${asset_id} returning id`);
}

/**
 * A column for a select of assets, with the rows about everybody and about these principals (a query for ids): an asset and what a caller
 * may do with it are read together, as of one moment.
 */
export function entriesColumn(asset_id: Sql, principals: Sql): Sql {
  return sql`(
    select coalesce(json_agg(json_build_object('principal_type', principal_type, 'principal_id', principal_id, 'actions', actions) order by id), '[]')
    from permission where permission.asset_id = ${asset_id}
      and (principal_type = 'org' or principal_id = any(array(${principals})))) as entries`;
}

export interface EntryQuery {
  asset_id?: string | undefined;
  principal_type?: PrincipalType | undefined;
  principal_id?: string | undefined;
  after?: { asset_id: string; id: string } | undefined;
  limit: number;
}

/** Those of one asset together. */
export async function listEntries(db: Reader, query: EntryQuery): Promise<StoredEntry[]> {
  const { asset_id, principal_type, principal_id, after, limit } = query;
  const conditions: Sql[] = [];
  if (asset_id !== undefined) conditions.push(sql`asset_id = ${asset_id}`);
  if (principal_type !== undefined) conditions.push(sql`principal_type = ${principal_type}`);
  if (principal_id !== undefined) conditions.push(sql`principal_id = ${principal_id}`);
  if (after !== undefined) conditions.push(sql`(asset_id, id) > (${after.asset_id}, ${after.id})`);
  return await db.all<StoredEntry>(
    sql`select ${columns} from permission where ${allOf(conditions)} order by asset_id, id limit ${limit}`,
  );
}

export async function entryById(db: Reader, id: string): Promise<StoredEntry | undefined> {
  return await db.one<StoredEntry>(sql`select ${columns} from permission where id = ${id}`);
}

/** The rows about everybody and about these principals. */
export async function entriesAbout(
  db: Reader,
  asset_id: string,
  principal_ids: readonly string[],
): Promise<StoredEntry[]> {
  return await db.all<StoredEntry>(sql`
    select ${columns} from permission where asset_id = ${asset_id}
      and (principal_type = 'org' or principal_id = any(${principal_ids})) order by created_at, id`);
}

export async function entriesOf(db: Reader, asset_id: string): Promise<StoredEntry[]> {
  return await db.all<StoredEntry>(
    sql`select ${columns} from permission where asset_id = ${asset_id} order by created_at, id`,
  );
}

/** The principal may do exactly this from now on. Nothing takes their entry away; undefined then. */
export async function setActions(
  tx: GovernedTx,
  asset_id: string,
  { principal_type, principal_id }: EntryPrincipal,
  actions: readonly Action[],
): Promise<StoredEntry | undefined> {
  if (actions.length === 0) {
    await tx.write(
      'permission',
      sql`delete from permission where asset_id = ${asset_id} and principal_type = ${principal_type}
          and principal_id is not distinct from ${principal_id} returning id`,
    );
    return undefined;
  }
  await hold(tx, { principal_type, principal_id });
  const [row] = await tx.write<StoredEntry>(
    'permission',
    sql`insert into permission (asset_id, principal_type, principal_id, actions)
        values (${asset_id}, ${principal_type}, ${principal_id}, ${inOrder(actions)})
        on conflict (asset_id, principal_type, principal_id) do update set actions = excluded.actions returning ${columns}`,
  );
  if (row === undefined) throw new Error('an entry was written and did not come back');
  return row;
}

/** Adds to what the principal may do. */
export async function giveActions(
  tx: GovernedTx,
  asset_id: string,
  principal: EntryPrincipal,
  given: readonly Action[],
): Promise<void> {
  const had = await actionsOf(tx, asset_id, principal);
  if (given.every((action) => had.includes(action))) return;
  await setActions(tx, asset_id, principal, [...had, ...given]);
}

/** Takes from what the principal may do, and answers what they could do of it. */
export async function takeActions(
  tx: GovernedTx,
  asset_id: string,
  principal: EntryPrincipal,
  taken: readonly Action[],
): Promise<Action[]> {
  const had = await actionsOf(tx, asset_id, principal);
  const left = had.filter((action) => !taken.includes(action));
  if (left.length < had.length) await setActions(tx, asset_id, principal, left);
  return had.filter((action) => taken.includes(action));
}

async function actionsOf(tx: GovernedTx, asset_id: string, principal: EntryPrincipal): Promise<Action[]> {
  return (await entriesOf(tx, asset_id)).find((entry) => isAbout(entry, principal))?.actions ?? [];
}

export function isAbout(entry: EntryPrincipal, { principal_type, principal_id }: EntryPrincipal): boolean {
  return entry.principal_type === principal_type && entry.principal_id === principal_id;
}

/**
 * Takes away every entry about a principal who is going, and answers how many there were. Raises `last_admin` where nobody would be left who
 * may change an asset's entries.
 */
export async function removeEntriesOf(
  tx: GovernedTx,
  { principal_type, principal_id, shown }: EntryPrincipal & { shown: string },
): Promise<number> {
  const alone = await tx.all<{ kind: AssetKind; name: string }>(sql`
    select a.kind, a.name from asset a join permission p on p.asset_id = a.id
    where p.principal_type = ${principal_type} and p.principal_id = ${principal_id} and 'admin' = any(p.actions)
      and not exists (select from permission o where o.asset_id = a.id and o.id <> p.id and 'admin' = any(o.actions))
    order by a.kind, a.name for no key update of a`);
  if (alone.length > 0)
    throw new Problem('last_admin', {
      detail: `${shown} is the last who may change who may do what to ${alone.map(printRef).join(', ')}.`,
      hint: 'Grant `admin` to somebody else first.',
    });
  const rows = await tx.write(
    'permission',
    sql`delete from permission where principal_type = ${principal_type} and principal_id = ${principal_id} returning id`,
  );
  return rows.length;
}

/** `read` of the caller as a condition on an asset's id; canRead() without the admins' bypass and the globs. */
export function readEntryExists(asset_id: Sql, caller: SignedInCaller): Sql {
  const principals = [caller.id, ...caller.memberships.map(({ team_id }) => team_id), ...caller.groups];
  return sql`exists (select from permission p where p.asset_id = ${asset_id} and 'read' = any(p.actions)
    and (p.principal_type = 'org' or p.principal_id = any(${principals})))`;
}

// Whom a row is about stays until the commit: who is going waits, and then takes the row along. Throws `invalid` for one who is gone.
async function hold(tx: GovernedTx, { principal_type, principal_id }: EntryPrincipal): Promise<void> {
  const there = {
    org: sql`select 1`,
    team: sql`select 1 from team where id = ${principal_id} for key share`,
    user: sql`select 1 from app_user where id = ${principal_id} and removed_at is null for key share`,
    group: sql`select 1 from user_group where id = ${principal_id} for key share`,
    principal: sql`select 1 from service_principal where id = ${principal_id} and deleted_at is null for key share`,
  };
  if ((await tx.one(there[principal_type])) === undefined)
    throw new Problem('invalid', { detail: `The ${principal_type} that this is about was removed at this moment.` });
}

function inOrder(actions: readonly Action[]): Action[] {
  return allActions.filter((action) => actions.includes(action));
}
