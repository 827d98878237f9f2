import type { AssetKind } from '@gantry/contract/roles.ts';
import { id } from '@gantry/contract/wire.ts';
import type { Reader } from '../database/database.ts';
import { findAsset, findAssetById, type AssetRecord } from '../registry/find.ts';

export interface Resource {
  resource_type: AssetKind;
  /** The asset's id, or its name. */
  resource_id: string;
}

export async function findResource(
  db: Reader,
  { resource_type, resource_id }: Resource,
): Promise<AssetRecord | undefined> {
  if (!id.safeParse(resource_id).success) return await findAsset(db, resource_type, resource_id);
  const asset = await findAssetById(db, resource_id);
  return asset?.asset_kind === resource_type ? asset : undefined;
}
