import { type Kind, wanted, type Wanted } from '../../ground/copies/copies.ts';
import type { AssetRecord } from './asset.ts';
import { findAssets, type AssetFor } from './find.ts';

const assets: Kind<AssetFor, AssetRecord> = { name: 'asset', textOf: textOfAsset, load: findAssets };

/** An asset with the ACL rows about one caller. */
export function assetFor(asked: AssetFor): Wanted<AssetRecord> {
  return wanted(assets, asked);
}

export function textOfAsset({ kind, name, id, caller_id }: AssetFor): string {
  return [kind, name, id, caller_id].join(' ');
}
