import type { KnowledgeUpload } from '@gantry/contract/agents/knowledge-uploads.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import * as store from '../upload-store.ts';
import { printUpload } from './upload.ts';

/** By path. For those who may change the base: a rule about readers hides a document from others. */
export async function listUploads(
  { db, cursors }: { db: Reader; cursors: Cursors },
  caller: Caller,
  { name, limit, cursor }: { name: string; limit: number; cursor?: string | undefined },
): Promise<Page<KnowledgeUpload>> {
  const user = signedIn(caller);
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, user);
  authorize(user, 'asset.write', base);
  const scope = ['uploads', base.id, user.id];
  const [after] = cursors.read(cursor, scope) ?? [];
  const page = { ...(after !== undefined && { after: String(after) }), limit: limit + 1 };
  return cursors.page(await store.listed(db, base.id, page), limit, scope, ({ path }) => [path], printUpload);
}
