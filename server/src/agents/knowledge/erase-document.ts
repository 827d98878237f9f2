// Erasure of a document: it leaves every snapshot with its chunks, its vectors and its bytes, and a refresh does not bring the same content back. What stays are
// digests, in the receipt, in the log and in the rows that keep it away.
import type { ErasedDocument } from '@gantry/contract/agents/knowledge.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sha256 } from '../../assets/registry/content.ts';
import { holdAsset, loadAsset } from '../../assets/registry/load-asset.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Database, Tx } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import * as documents from './document-store.ts';
import * as store from './erasure-store.ts';
import * as uploads from './upload-store.ts';

/** Throws the refusal, and `not_found` for a path that the base has never had. */
export async function eraseDocument(
  db: Database,
  caller: Caller,
  { name, path }: { name: string; path: string },
): Promise<ErasedDocument> {
  const user = signedIn(caller);
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, user);
  const grant = authorize(user, 'asset.write', base);
  return await change(db, grant, 'knowledge.erased', async (tx, note) => {
    // A refresh that ends now waits for this, and then purges what it has read meanwhile.
    authorize(user, 'asset.write', await holdAsset(tx, base.id, user));
    const contents = await store.contentsAt(tx, base.id, path);
    if (contents.length === 0)
      throw new Problem('not_found', {
        detail: `No snapshot of ${base.ref} has a document at this path.`,
        hint: `List them: svc kb snapshots ${name}, then svc kb show ${name} <snapshot>`,
      });
    const sources = [...new Set(contents.map(({ source_sha256 }) => source_sha256))];
    await store.erase(tx, base.id, path, sources);
    const upload = await uploads.find(tx, base.id, path);
    if (upload !== undefined && sources.includes(upload.sha256)) await uploads.remove(tx, base.id, path);
    await purgeErased(tx, base.id);
    const snapshots = [...new Set(contents.flatMap((one) => one.snapshots))].toSorted((a, b) => a - b);
    const receipt = {
      path_digest: `sha256:${sha256(Buffer.from(path))}`,
      contents: contents.map((one) => `sha256:${one.source_sha256}`),
      snapshots,
    };
    note(receipt);
    return { base: base.ref, path, ...receipt };
  });
}

/** Each document with an erased content, and the bytes that nothing else of the base has. */
export async function purgeErased(tx: Tx, base_id: string): Promise<void> {
  for (const digest of await store.removeErased(tx, base_id)) await documents.dropUnusedBlob(tx, base_id, digest);
}
