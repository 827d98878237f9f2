import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { holdAsset, loadAsset } from '../../../assets/registry/load-asset.ts';
import * as documents from '../document-store.ts';
import * as store from '../upload-store.ts';

/** Its bytes go with it, unless a snapshot has them. */
export async function deleteUpload(
  db: Database,
  caller: Caller,
  { name, path }: { name: string; path: string },
): Promise<void> {
  const user = signedIn(caller);
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, user);
  const grant = authorize(user, 'asset.write', base);
  await change(db, grant, 'knowledge.upload_deleted', async (tx, note) => {
    authorize(user, 'asset.write', await holdAsset(tx, base.id, user));
    const found = await store.find(tx, base.id, path);
    if (found === undefined)
      throw new Problem('not_found', {
        detail: `${base.ref} has no uploaded file ${path}.`,
        hint: `List them: svc kb uploads ${base.name}`,
      });
    await store.remove(tx, base.id, path);
    await documents.dropUnusedBlob(tx, base.id, found.sha256);
    note({ path, digest: found.sha256, bytes: found.bytes });
  });
}
