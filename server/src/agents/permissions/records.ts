import type { Permission } from '@gantry/contract/people/permissions.ts';
import type { StoredEntry } from '../../governance/access/acl.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { principalNames } from '../../assets/registry/principals/principal-names.ts';

/** The wire's records of these entries. */
export async function permissionRecords(
  db: Reader,
  entries: readonly StoredEntry[],
  assets: readonly AssetRecord[],
): Promise<Permission[]> {
  const nameOf = await principalNames(db, entries);
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  return entries.flatMap(({ id, asset_id, principal_type, principal_id, actions, created_at }) => {
    const asset = byId.get(asset_id);
    if (asset === undefined) return [];
    const resource = { resource_type: asset.asset_kind, resource_id: asset.id, asset: asset.ref };
    return [{ id, ...resource, principal_type, principal_id: nameOf(principal_id), actions, created_at }];
  });
}
