// Threads of others, for the admins of an agent. Promises: none is read unless the organisation allows it, and each look is in the log before the text goes out.
import type { ThreadDetail } from '@gantry/contract/agents/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { settings } from '../../../people/principals/find.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { MemoryParts } from '../parts.ts';
import * as store from '../thread-store.ts';
import { detailOf } from './threads.ts';

/** Throws the refusal, `conflict` while the organisation allows it not, `not_found` or `memory_damaged`. */
export async function lookAtThread(
  parts: MemoryParts,
  { caller, name, id }: { caller: Caller; name: string; id: string },
): Promise<ThreadDetail & { owner: string }> {
  const { db } = parts;
  const agent = await loadAsset(db, { kind: 'agent', name }, caller);
  const grant = authorize(signedIn(caller), 'thread.read_all', agent);
  if (!(await settings(db)).admins_read_threads)
    throw new Problem('conflict', {
      detail: 'The organisation lets nobody read the threads of others.',
      hint: 'A platform admin opens them: svc org set admins_read_threads true',
    });
  const row = await store.findOfAnybody(db, { id, agent_id: agent.id });
  if (row === undefined) throw new Problem('not_found');
  const owner = row.owner ?? row.owner_id;
  const detail = await detailOf(parts, row);
  await change(db, grant, 'thread.looked_at', async (_, note) => {
    note({ thread: id, caller: owner });
    await Promise.resolve();
  });
  return { ...detail, owner };
}
