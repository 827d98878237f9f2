import type { AllowedClient } from '@gantry/contract/people/clients.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import { signedInUser } from '../../principals/signed-in.ts';
import { hostOf } from './ask.ts';
import * as store from './grant-store.ts';

export async function listClients(db: Reader, caller: Caller): Promise<AllowedClient[]> {
  const user = signedInUser(caller);
  authorize(user, 'client.read', theOrg);
  const grants = await store.listOf(db, user.id);
  return grants.map((grant) => ({ ...grant, host: hostOf(grant) }));
}

/** Throws `not_found`, also for one of another person. */
export async function removeClient(db: Database, caller: Caller, id: string): Promise<void> {
  const user = signedInUser(caller);
  const allowed = authorize(user, 'client.change', theOrg);
  const grant = await store.byId(db, id);
  if (grant?.user_id !== user.id)
    throw new Problem('not_found', { detail: 'No such client acts for you.', hint: 'See: svc clients' });
  const { client_id, client_name: client, resource } = grant;
  await change(db, allowed, 'client.revoked', async (tx, note) => {
    if ((await store.remove(tx, id)) > 0) note({ client, client_id, resource });
  });
}
