import type { GovernedTx } from '../../../governance/access/change.ts';
import { contentDigest, sourceDigest, type Content } from '../content.ts';
import * as contents from '../content-store.ts';
import { holdReferences } from '../references/pin-references.ts';
import * as store from '../store.ts';

/** A final version of this content; undefined when the name is taken. */
export async function putFinal(
  tx: GovernedTx,
  { content, ...version }: { asset_id: string; version: string; content: Content; pushed_by: string; message?: string },
): Promise<string | undefined> {
  const digest = contentDigest(content);
  await contents.insertContent(tx, { ...content, digest, source: sourceDigest(content) });
  const id = await store.putVersion(tx, { message: '', ...version, digest, state: 'final' });
  // The pinned references must be unchanged when this version refers to them.
  await holdReferences(tx, { digest });
  return id && digest;
}
