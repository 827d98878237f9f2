import type { Permission } from '@gantry/contract/permissions.ts';
import type { StoredEntry } from '../access/acl.ts';
import type { Reader } from '../database/database.ts';
import { principalNames } from '../principals/find.ts';
import type { AssetRecord } from '../registry/find.ts';

/** As they are shown: ids become names, since those are what people know. */
export async function permissionRecords(
  db: Reader,
  entries: readonly StoredEntry[],
  assets: readonly AssetRecord[],
): Promise<Permission[]> {
  const ids = entries.flatMap(({ principal_id }) => principal_id ?? []);
  const names = new Map((await principalNames(db, ids)).map(({ id, name }) => [id, name]));
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  return entries.flatMap(({ id, asset_id, principal_type, principal_id, actions, created_at }) => {
    const asset = byId.get(asset_id);
    if (asset === undefined) return [];
    const resource = { resource_type: asset.asset_kind, resource_id: asset.id, asset: asset.ref };
    const name = principal_id === null ? null : (names.get(principal_id) ?? principal_id);
    return [{ id, ...resource, principal_type, principal_id: name, actions, created_at }];
  });
}
