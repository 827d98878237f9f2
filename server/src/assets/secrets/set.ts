// The value of a secret goes from the request to its store, and to the containers. Must never happen: an answer, a log line or an entry of
// the audit log with a value.
import type { Secret } from '@gantry/contract/assets/secrets.ts';
import { authorize, type Grant } from '../../governance/access/authorize.ts';
import { actorOf, type Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { loadTeam } from '../../people/principals/load-team.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { loadAsset } from '../registry/load-asset.ts';
import type { SecretParts } from './parts.ts';
import { toSecrets } from './records.ts';
import * as store from './store.ts';

export interface SecretInput {
  name: string;
  /** Either of them. */
  team?: string | undefined;
  agent?: string | undefined;
  value: string;
}

/** Creates the secret, or replaces its value. Running agents keep the previous value. */
export async function setSecret(parts: SecretParts, caller: Caller, input: SecretInput): Promise<Secret> {
  const { db, stores } = parts;
  const user = signedIn(caller);
  const { scope, grant } = await authorizeScope(db, caller, input);
  const { name, value } = input;
  const by = actorOf(user).name;
  const id = await change(db, grant, 'secret.created', async (tx, note) => {
    const put = await store.putSecret(tx, scope, { name, store: 'ours', by });
    await stores[put.store].put(tx, put.id, value);
    note({ secret: name }, put.created ? {} : { event: 'secret.changed' });
    return put.id;
  });
  const row = await store.secretById(db, id);
  const [record] = row === undefined ? [] : await toSecrets(parts, user, [row]);
  if (record === undefined) throw new Error(`secret ${id} is gone`);
  return record;
}

/** Throws `not_found` for a scope that the caller may not see. */
async function authorizeScope(
  db: Reader,
  caller: Caller,
  { team, agent }: Pick<SecretInput, 'team' | 'agent'>,
): Promise<{ scope: store.Scope; grant: Grant }> {
  if (agent === undefined) {
    const subject = await loadTeam(db, team ?? '');
    return { scope: { team_id: subject.id }, grant: authorize(caller, 'team_secret.change', subject) };
  }
  const asset = await loadAsset(db, { kind: 'agent', name: agent }, caller);
  return { scope: { agent_id: asset.id }, grant: authorize(caller, 'agent_secret.change', asset) };
}
