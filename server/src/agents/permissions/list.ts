import type { Page } from '@gantry/contract/endpoint.ts';
import type { Permission } from '@gantry/contract/people/permissions.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetKind, PrincipalType } from '@gantry/contract/roles.ts';
import { listEntries, type EntryQuery } from '../../governance/access/acl.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { readableRows } from '../../assets/registry/assets/readable-rows.ts';
import { findGrantee } from './find-principal.ts';
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

/** The entries of assets that the caller may read, sorted by asset. */
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
  const named = await namedIn(db, user, filters);
  // A missing asset gets an empty list, like a hidden one.
  if (named === undefined) return { items: [] };
  const { rows: entries, assets } = await readableRows(db, user, {
    after,
    limit: limit + 1,
    batch: async (last, size) => await listEntries(db, { ...named, after: last, limit: size }),
    assetOf: (entry) => entry.asset_id,
    wants: ({ asset_kind }) => filters.resource_type === undefined || asset_kind === filters.resource_type,
  });
  const records = new Map((await permissionRecords(db, entries, assets)).map((record) => [record.id, record]));
  return cursors.page(
    entries,
    limit,
    scope,
    (entry) => [entry.asset_id, entry.id],
    (entry) => records.get(entry.id),
  );
}

async function namedIn(
  db: Database,
  user: SignedInCaller,
  { resource_type, resource_id, principal_type, principal_id }: Omit<PermissionQuery, 'limit' | 'cursor'>,
): Promise<Pick<EntryQuery, 'asset_id' | 'principal_type' | 'principal_id'> | undefined> {
  const named: Pick<EntryQuery, 'asset_id' | 'principal_type' | 'principal_id'> = { principal_type };
  if (resource_id !== undefined) {
    if (resource_type === undefined) throw new Problem('malformed', { detail: 'resource_id needs resource_type.' });
    named.asset_id = (await findResource(db, { resource_type, resource_id }, user))?.id;
    if (named.asset_id === undefined) return undefined;
  }
  if (principal_id !== undefined) {
    if (principal_type === undefined || principal_type === 'org')
      throw new Problem('malformed', {
        detail: 'principal_id needs principal_type: team, user, group or principal.',
      });
    named.principal_id = await findGrantee(db, principal_type, principal_id);
    if (named.principal_id === undefined) return undefined;
  }
  return named;
}
