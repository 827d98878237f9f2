// Shares whose time is over leave an entry in the log. They open nothing from their end on, also before this has run.
import { authorize } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import type { Database } from '../../../ground/database/database.ts';
import * as store from './share-store.ts';
import { printWith } from './share-thread.ts';

export async function endShares(db: Database): Promise<void> {
  for (const share of await store.listEnded(db)) {
    const agent = await findAssetById(db, share.agent_id, null);
    // With the agent its threads and their shares are gone.
    if (agent === undefined) continue;
    const grant = authorize(systemCaller('system.expire'), 'system.expire', agent);
    await change(db, grant, 'thread.share_ended', async (tx, note) => {
      const { id, thread_id: thread, owner: caller, ends_at } = share;
      if (await store.removeEnded(tx, id)) note({ thread, share: id, caller, with: printWith(share), ends_at });
    });
  }
}
