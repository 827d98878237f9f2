import { Problem } from '@gantry/contract/problems.ts';
import { printGrantee } from '@gantry/contract/refs.ts';
import type { Action } from '@gantry/contract/roles.ts';
import { entryById } from '../../governance/access/acl.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAssetById } from '../../assets/registry/find.ts';
import { changeEntries } from './change-entries.ts';
import { permissionRecords } from './records.ts';

/** Deletes an entry, or these of its actions. */
export async function revoke(
  db: Database,
  caller: Caller,
  id: string,
  actions: readonly Action[] | undefined,
): Promise<void> {
  const user = signedIn(caller);
  const entry = await entryById(db, id);
  const asset = entry && (await findAssetById(db, entry.asset_id, user));
  if (entry === undefined || asset === undefined) throw new Problem('not_found');
  const leave = authorize(user, 'permission.change', asset);
  const { principal_type, principal_id } = entry;
  const [record = entry] = await permissionRecords(db, [entry], [asset]);
  const decide = (before: readonly Action[]) =>
    actions === undefined ? [] : before.filter((action) => !actions.includes(action));
  await changeEntries(db, leave, {
    asset,
    principal: { principal_type, principal_id, shown: printGrantee(record) },
    decide,
  });
}
