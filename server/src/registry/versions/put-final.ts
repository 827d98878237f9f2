import type { GovernedTx } from '../../access/change.ts';
import { contentDigest, sourceDigest, type Content } from '../content.ts';
import * as contents from '../content-store.ts';
import { holdReferences } from '../references/pin-references.ts';
import * as store from '../store.ts';

/** A final version of this content; undefined when there is one of that name already. */
export async function putFinal(
  tx: GovernedTx,
  { content, ...version }: { asset_id: string; version: string; content: Content; pushed_by: string },
): Promise<string | undefined> {
  const digest = contentDigest(content);
  await contents.insertContent(tx, { ...content, digest, source: sourceDigest(content) });
  const id = await store.putVersion(tx, { ...version, digest, state: 'final', message: '' });
  // What was pinned a moment ago must be what is there when this comes to refer to it.
  await holdReferences(tx, { digest });
  return id && digest;
}
