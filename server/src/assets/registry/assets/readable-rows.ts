import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findReadable, type AssetRecord } from '../find.ts';

export interface RowsOfAssets<Key, Row extends Key> {
  /** The key of the row before the first one. */
  after: Key | undefined;
  limit: number;
  /** The next rows in the order of the list. */
  batch: (after: Key | undefined, limit: number) => Promise<Row[]>;
  assetOf: (row: Row) => string;
  /** Filters the readable assets; all of them when absent. */
  wants?: (asset: AssetRecord) => boolean;
}

// Pages of one row for a caller who may read little must not cost a query per row.
const least_batch = 200;

/** Code decides who may read an asset, so batches are read until enough rows are readable. The rows come with their assets. */
export async function readableRows<Key, Row extends Key>(
  db: Reader,
  caller: SignedInCaller,
  { after, limit, batch, assetOf, wants = () => true }: RowsOfAssets<Key, Row>,
): Promise<{ rows: Row[]; assets: AssetRecord[] }> {
  const shown: Row[] = [];
  const assets = new Map<string, AssetRecord>();
  const size = Math.max(limit, least_batch);
  for (let last = after; ;) {
    const rows = await batch(last, size);
    for (const asset of await findReadable(db, caller, [...new Set(rows.map(assetOf))]))
      if (wants(asset)) assets.set(asset.id, asset);
    shown.push(...rows.filter((row) => assets.has(assetOf(row))));
    last = rows.at(-1);
    if (rows.length < size || shown.length >= limit || last === undefined)
      return { rows: shown.slice(0, limit), assets: [...assets.values()] };
  }
}
