import type { Page } from '@gantry/contract/endpoint.ts';
import type { Permission } from '@gantry/contract/permissions.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { listEntries, type EntryQuery, type StoredEntry } from '../access/acl.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller, UserCaller } from '../access/caller.ts';
import { canRead } from '../access/decide.ts';
import { theOrg, type PrincipalType } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import { findTeam, findUser } from '../principals/find.ts';
import { signedIn } from '../principals/signed-in.ts';
import { findAssetsById, type AssetRecord } from '../registry/find.ts';
import { findResource } from './find-resource.ts';
import { permissionRecords } from './records.ts';

export interface PermissionQuery {
  resource_type?: AssetKind | undefined;
  resource_id?: string | undefined;
  principal_type?: PrincipalType | undefined;
  principal_id?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** Of assets that the caller may read; those of one asset together. */
export async function list(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  query: PermissionQuery,
): Promise<Page<Permission>> {
  const user = signedIn(caller);
  authorize(user, 'permission.list', theOrg);
  const { limit, cursor, ...filters } = query;
  const scope = ['permissions', user.id, filters];
  const [asset_id, id] = cursors.read(cursor, scope) ?? [];
  const after = asset_id === undefined ? undefined : { asset_id: String(asset_id), id: String(id) };
  const named = await namedIn(db, filters);
  // What is not there has no entries, as one that the caller may not read.
  if (named === undefined) return { items: [] };
  const { entries, assets } = await readable(db, user, { ...named, after, limit: limit + 1 }, filters.resource_type);
  const records = new Map((await permissionRecords(db, entries, assets)).map((record) => [record.id, record]));
  const page = cursors.page(
    entries,
    limit,
    scope,
    (entry) => [entry.asset_id, entry.id],
    (entry) => records.get(entry.id),
  );
  return { ...page, items: page.items.filter((record) => record !== undefined) };
}

async function namedIn(
  db: Database,
  { resource_type, resource_id, principal_type, principal_id }: Omit<PermissionQuery, 'limit' | 'cursor'>,
): Promise<Pick<EntryQuery, 'asset_id' | 'principal_type' | 'principal_id'> | undefined> {
  const named: Pick<EntryQuery, 'asset_id' | 'principal_type' | 'principal_id'> = { principal_type };
  if (resource_id !== undefined) {
    if (resource_type === undefined)
      throw new Problem('malformed', { detail: 'resource_id needs resource_type beside it.' });
    named.asset_id = (await findResource(db, { resource_type, resource_id }))?.id;
    if (named.asset_id === undefined) return undefined;
  }
  if (principal_id !== undefined) {
    if (principal_type !== 'team' && principal_type !== 'user')
      throw new Problem('malformed', { detail: 'principal_id needs principal_type beside it: team or user.' });
    named.principal_id = (await (principal_type === 'team' ? findTeam : findUser)(db, principal_id))?.id;
    if (named.principal_id === undefined) return undefined;
  }
  return named;
}

// Pages of one, asked for by somebody who may read little, must not become a query for every row there is.
const least_batch = 200;

// Who may read an asset is decided, not queried: batches are read until enough of them may be seen.
async function readable(
  db: Database,
  user: UserCaller,
  from: EntryQuery,
  kind: AssetKind | undefined,
): Promise<{ entries: StoredEntry[]; assets: AssetRecord[] }> {
  const entries: StoredEntry[] = [];
  const assets = new Map<string, AssetRecord>();
  const limit = Math.max(from.limit, least_batch);
  for (let after = from.after; ;) {
    const rows = await listEntries(db, { ...from, limit, after });
    const found = await findAssetsById(db, [...new Set(rows.map(({ asset_id }) => asset_id))]);
    for (const asset of found)
      if (canRead(user, asset) && (kind === undefined || asset.asset_kind === kind)) assets.set(asset.id, asset);
    entries.push(...rows.filter(({ asset_id }) => assets.has(asset_id)));
    after = rows.at(-1);
    if (rows.length < limit || entries.length >= from.limit || after === undefined)
      return { entries: entries.slice(0, from.limit), assets: [...assets.values()] };
  }
}
