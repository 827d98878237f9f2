import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { ServicePrincipalParts } from './parts.ts';
import { loadPrincipalRow } from './show.ts';
import * as store from './store.ts';

export async function deletePrincipal(
  { db, leaves }: ServicePrincipalParts,
  caller: Caller,
  id: string,
): Promise<void> {
  const { row, team } = await loadPrincipalRow(db, id);
  const grant = authorize(caller, 'principal.change', team);
  await change(db, grant, 'principal.deleted', async (tx, note) => {
    if ((await store.lockPrincipal(tx, id)) === undefined) throw new Problem('not_found');
    const own = await store.endKeys(tx, id, 0);
    const { keys_ended = [], ...ended } = await leaves.principal(tx, { id, name: row.name });
    await store.markDeleted(tx, id);
    note({ principal: `principal:${row.name}`, keys: [...own, ...keys_ended], ...ended });
  });
}
