import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { deleteGrant, grantById, mayListGrant, toChange } from '../../../governance/access/reading-grants.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { grantRecords } from './records.ts';

export async function takeBack(db: Database, caller: Caller, id: string): Promise<void> {
  const user = signedIn(caller);
  const row = await grantById(db, id);
  if (row === undefined || !mayListGrant(user, row)) throw new Problem('not_found');
  const [record] = await grantRecords(db, [row]);
  if (record === undefined) throw new Error('a row has one record');
  const leave = authorize(user, ...toChange(row.team_id, record.team ?? ''));
  await change(db, leave, 'grant.revoked', async (tx, note) => {
    if (!(await deleteGrant(tx, id))) throw new Problem('not_found');
    note({
      right: record.right,
      principal: record.principal,
      on: record.team === null ? 'org' : `team:${record.team}`,
      expires_at: record.expires_at,
    });
  });
}
