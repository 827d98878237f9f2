// A refresh is a run: it outlasts the request, and a kill. What serves stays until it has succeeded.
import type { KnowledgeRefresh } from '@gantry/contract/agents/knowledge.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { MutexHeld } from '../../../ground/runs/run.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { loadVersion } from '../../../assets/registry/versions/load-version.ts';
import type { KnowledgeParts } from '../parts.ts';
import { requirePayer } from './require-payer.ts';
import { enqueueRefresh } from './enqueue-refresh.ts';
import { showRefresh } from './show-refresh.ts';

/** With the newest config. Throws `conflict` while another one runs. */
export async function refresh(
  parts: KnowledgeParts,
  caller: Caller,
  { kind, name }: { kind: 'knowledge-base' | 'rag-index'; name: string },
): Promise<KnowledgeRefresh> {
  const { db } = parts;
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind, name }, user);
  authorize(user, 'asset.write', asset);
  if (kind === 'rag-index') {
    const { row } = await loadVersion(db, asset, 'latest');
    await requirePayer(parts, user, { asset, digest: row.digest });
  }
  const id = await start(parts, user, asset);
  return await showRefresh(db, user, id);
}

async function start({ db }: KnowledgeParts, user: SignedInCaller, asset: AssetRecord): Promise<string> {
  const actor = { user_id: user.id, name: user.label };
  const { request_id, ip } = user.origin;
  try {
    return await db.transaction(
      async (tx) => (await enqueueRefresh(tx, asset, { actor, origin: { request_id, ip } })).id,
    );
  } catch (error) {
    if (!(error instanceof MutexHeld)) throw error;
    throw new Problem('conflict', {
      detail: `Another refresh of ${asset.ref} is running${error.holder === undefined ? '' : `: ${error.holder.id}`}.`,
      hint: `Refresh it again when that has ended${error.holder === undefined ? '.' : `, or stop it: svc kb cancel ${error.holder.id}`}`,
      fields: { refresh_id: error.holder?.id },
    });
  }
}
