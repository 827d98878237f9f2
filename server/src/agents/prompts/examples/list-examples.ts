import type { PromptExample } from '@gantry/contract/agents/prompt-trials.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import * as store from '../example-store.ts';

/** By name. They belong to the prompt: who reads it reads them. */
export async function listExamples(
  { db, cursors }: { db: Reader; cursors: Cursors },
  caller: Caller,
  { name, limit, cursor }: { name: string; limit: number; cursor?: string | undefined },
): Promise<Page<PromptExample>> {
  const user = signedIn(caller);
  const prompt = await loadAsset(db, { kind: 'prompt', name }, user);
  authorize(user, 'asset.read', prompt);
  const scope = ['examples', prompt.id, user.id];
  const [after] = cursors.read(cursor, scope) ?? [];
  const page = { ...(after !== undefined && { after: String(after) }), limit: limit + 1 };
  return cursors.page(
    await store.listed(db, prompt.id, page),
    limit,
    scope,
    (row) => [row.name],
    (row) => row,
  );
}
