// The users of an asset: serving revisions, and present configs, with a reference pinned to it.
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../access/caller.ts';
import { canRead } from '../../access/decide.ts';
import type { Reader } from '../../database/database.ts';
import { findAssetsById, type AssetRecord } from '../find.ts';
import * as references from './reference-store.ts';

/** Throws `in_use` with the names of those that the caller may read. */
export async function refuseWhileInUse(db: Reader, caller: Caller, asset: AssetRecord): Promise<void> {
  const users = await findAssetsById(db, await references.referrers(db, asset.id), caller);
  if (users.length === 0) return;
  const named = users
    .filter((user) => canRead(caller, user))
    .map(({ ref }) => ref)
    .toSorted();
  const others = users.length - named.length;
  const hidden = others === 0 ? [] : [`${others} that you may not read`];
  throw new Problem('in_use', {
    detail: `${asset.ref} is used by ${[...named, ...hidden].join(', ')}.`,
    fields: { used_by: named },
  });
}

/** Until the transaction ends, nothing new can refer to the asset. Undefined when it is gone. */
export const holdAlone = references.lockAssetAlone;
