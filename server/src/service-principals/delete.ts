import { Problem } from '@gantry/contract/problems.ts';
import { removeEntriesOf } from '../access/acl.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { removeGrantsTo } from '../access/reading-grants.ts';
import type { ServicePrincipalParts } from './parts.ts';
import { loadPrincipalRow } from './show.ts';
import * as store from './store.ts';

export async function deletePrincipal(
  { db, holdAssets, ...parts }: ServicePrincipalParts,
  caller: Caller,
  id: string,
): Promise<void> {
  const { row, team } = await loadPrincipalRow(db, id);
  const grant = authorize(caller, 'principal.change', team);
  await change(db, grant, 'principal.deleted', async (tx, note) => {
    if ((await store.lockPrincipal(tx, id)) === undefined) throw new Problem('not_found');
    const entries = await removeEntriesOf(tx, holdAssets, {
      principal_type: 'principal',
      principal_id: id,
      shown: `principal:${row.name}`,
    });
    const reading_grants = await removeGrantsTo(tx, id);
    const keys = [...(await store.endKeys(tx, id, 0)), ...(await parts.endGatewayKeys(tx, id))];
    await store.markDeleted(tx, id);
    note({ principal: `principal:${row.name}`, keys, entries, reading_grants });
  });
}
