import { Problem } from '@gantry/contract/problems.ts';
import { isLabel } from '@gantry/contract/refs.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findVersion, type AssetRecord } from '../../assets/registry/find.ts';
import { labelNow } from '../../assets/registry/prompts/labels.ts';

interface FoundVersion {
  id: string;
  version: string;
  digest: string;
  label: string | null;
}

/** `wanted`: a version, a label or `latest`. Throws `not_found`. */
export async function findPromptVersion(
  db: Reader,
  { id, ref, name }: AssetRecord,
  wanted: string,
): Promise<FoundVersion> {
  if (isLabel(wanted)) {
    const move = await labelNow(db, { asset_id: id, label: wanted });
    if (move === undefined)
      throw new Problem('not_found', {
        detail: `${ref} has no label ${wanted}.`,
        hint: `Set it: svc prompt label ${name} ${wanted} <version>`,
      });
    return { id: move.version_id, version: move.version, digest: move.digest, label: wanted };
  }
  const found = await findVersion(db, id, wanted);
  if (found === undefined)
    throw new Problem('not_found', {
      detail: `${ref} has no version ${wanted}.`,
      hint: `See its versions: svc registry prompt versions ${name}`,
    });
  return { id: found.id, version: found.version, digest: found.digest, label: null };
}
