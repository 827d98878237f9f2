import type { AssetKind } from '@gantry/contract/roles.ts';
import { id as uuid } from '@gantry/contract/wire.ts';
import type { Caller } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { findAsset, findAssetById, type AssetRecord } from '../registry/find.ts';

export interface Resource {
  resource_type: AssetKind;
  /** The asset's id, or its name. */
  resource_id: string;
}

export async function findResource(db: Reader, asked: Resource, caller: Caller): Promise<AssetRecord | undefined> {
  const { kind, name, id } = named(asked);
  if (id === undefined) return await findAsset(db, kind, name, caller);
  const asset = await findAssetById(db, id, caller);
  return asset?.asset_kind === kind ? asset : undefined;
}

type Named = { kind: AssetKind; name: string; id?: undefined } | { kind: AssetKind; id: string; name?: undefined };

export function named({ resource_type: kind, resource_id }: Resource): Named {
  return uuid.safeParse(resource_id).success ? { kind, id: resource_id } : { kind, name: resource_id };
}
