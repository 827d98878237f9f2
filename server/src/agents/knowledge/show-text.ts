import type { DocumentText } from '@gantry/contract/agents/knowledge.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import * as documents from './document-store.ts';
import { sightOf } from './rights/sight.ts';

const most_bytes = 200_000;

/** Of a document of any snapshot. Throws `not_found`, also for one that the caller does not find. */
export async function showText(
  db: Reader,
  caller: Caller,
  {
    name,
    document: id,
    start,
    end = start + most_bytes,
  }: { name: string; document: string; start: number; end?: number | undefined },
): Promise<DocumentText> {
  const user = signedIn(caller);
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, user);
  authorize(user, 'asset.invoke', base);
  const document = await documents.documentById(db, base.id, id);
  if (document === undefined || !(await sightOf(db, user, base)).sees(document)) throw new Problem('not_found');
  const { text_sha256: sha256, text_bytes: bytes, title, path, media_type } = document;
  const count = Math.max(0, Math.min(end - start, most_bytes));
  const part = await documents.partOfBlob(db, { base_id: base.id, sha256, start, count });
  if (part === undefined) throw new Problem('not_found');
  return {
    title,
    path,
    base: base.ref,
    media_type,
    digest: `sha256:${sha256}`,
    bytes,
    start,
    end: start + part.length,
    text: part.toString(),
  };
}
