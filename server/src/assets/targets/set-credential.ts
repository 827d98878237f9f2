// The credential of a target goes from the request to its sealed row, and to the connections of the service. Must never happen: an answer, a log
// line, an entry of the audit log or an agent with it.
import type { TargetCredential } from '@gantry/contract/assets/targets.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { actorOf, type Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { holdAsset, loadAsset } from '../registry/load-asset.ts';
import { seal } from './find-targets.ts';
import * as store from './store.ts';

/** Approvals for the target end with it: secrets of agents are sent with this credential. */
export async function setCredential(
  { db, envelope }: { db: Database; envelope: Envelope },
  caller: Caller,
  { name, credential }: { name: string; credential: TargetCredential },
): Promise<void> {
  const user = signedIn(caller);
  const grant = authorize(user, 'target.change', theOrg);
  const asset = await loadAsset(db, { kind: 'target', name }, caller);
  await change(db, grant, 'target.credential_set', async (tx, note) => {
    await holdAsset(tx, asset.id, caller);
    const sealed = seal(envelope, asset.id, credential);
    await store.putCredential(tx, { asset_id: asset.id, sealed, by: actorOf(user).name });
    const parts = Object.entries(credential).flatMap(([part, given]) => (given === undefined ? [] : [part]));
    note({ parts }, { asset: asset.ref });
  });
}
