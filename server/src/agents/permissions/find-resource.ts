import type { AssetKind } from '@gantry/contract/roles.ts';
import { id as uuid } from '@gantry/contract/wire.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssets, type AssetRecord } from '../../assets/registry/find.ts';

export interface Resource {
  resource_type: AssetKind;
  /** The asset's id, or its name. */
  resource_id: string;
}

export async function findResource(
  db: Reader,
  asked: Resource,
  caller: SignedInCaller,
): Promise<AssetRecord | undefined> {
  const [asset] = await findAssets(db, [{ ...named(asked), caller_id: caller.id }]);
  return asset;
}

type Named = { kind: AssetKind; name: string; id?: undefined } | { kind: AssetKind; id: string; name?: undefined };

export function named({ resource_type: kind, resource_id }: Resource): Named {
  return uuid.safeParse(resource_id).success ? { kind, id: resource_id } : { kind, name: resource_id };
}
