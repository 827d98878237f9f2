import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { find } from './show.ts';
import * as store from './store.ts';

export async function remove(db: Database, caller: Caller, name: string): Promise<void> {
  const grant = authorize(caller, 'webhook.change', theOrg);
  const { id, url, events } = await find(db, name);
  await change(db, grant, 'webhook.deleted', async (tx, note) => {
    // No row: another request deleted it meanwhile and left its own entry.
    if (await store.remove(tx, id)) note({ webhook: name, before: { url, events }, after: null });
  });
}
