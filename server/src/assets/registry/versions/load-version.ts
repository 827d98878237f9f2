import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as contents from '../content-store.ts';
import { findVersion, type AssetRecord, type VersionRow } from '../find.ts';

/** The version and its content. Throws `not_found`. */
export async function loadVersion(
  db: Reader,
  asset: AssetRecord,
  version: string,
): Promise<{ row: VersionRow; content: contents.StoredContent }> {
  const row = await findVersion(db, asset.id, version);
  const content = row && (await contents.content(db, row.digest));
  if (row !== undefined && content !== undefined) return { row, content };
  throw new Problem('not_found', {
    detail: `${asset.ref} has no version ${version}.`,
    hint: `List its versions: svc registry ${asset.asset_kind} versions ${asset.name}`,
  });
}
