import { Problem } from '@gantry/contract/problems.ts';
import type { Secret } from '@gantry/contract/assets/secrets.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { actorOf, type Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { errorCode, unique_violation } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAssetById } from '../registry/find.ts';
import { holdAsset } from '../registry/load-asset.ts';
import type { SecretParts } from './parts.ts';
import { toSecrets } from './records.ts';
import * as store from './store.ts';

/**
 * The secret keeps its id and its value, and belongs to the agent's team. The agent still gets it. Throws `exists` when the team has one of
 * this name.
 */
export async function moveSecret(parts: SecretParts, caller: Caller, id: string): Promise<Secret> {
  const { db } = parts;
  const user = signedIn(caller);
  const row = await store.secretById(db, id);
  if (row === undefined) throw new Problem('not_found');
  if (row.agent_id === null) {
    authorize(caller, 'team_secret.change', { kind: 'team', id: row.team_id ?? '', name: row.team ?? '' });
    throw new Problem('conflict', { detail: `${row.name} already belongs to team:${row.team}.` });
  }
  const asset = await findAssetById(db, row.agent_id, caller);
  if (asset === undefined) throw new Problem('not_found');
  authorize(caller, 'agent_secret.change', asset);
  const { team } = asset;
  const grant = authorize(caller, 'team_secret.change', { kind: 'team', ...team });
  await change(db, grant, 'secret.moved', async (tx, note) => {
    const held = await holdAsset(tx, asset.id, null);
    if (held.team.id !== team.id) throw new Problem('conflict', { detail: `${asset.ref} was just transferred.` });
    if (!(await store.moveToTeam(tx, id, { team_id: team.id, by: actorOf(user).name }))) throw new Problem('not_found');
    note({ secret: row.name, before: { agent: asset.name }, after: { team: team.name } });
  }).catch((error: unknown) => {
    if (errorCode(error) !== unique_violation) throw error;
    throw new Problem('exists', {
      detail: `team:${team.name} has a secret ${row.name}.`,
      hint: `Remove one of them: svc secret remove ${row.name} --agent ${asset.name}`,
    });
  });
  const moved = await store.secretById(db, id);
  const [record] = moved === undefined ? [] : await toSecrets(parts, user, [moved]);
  if (record === undefined) throw new Problem('not_found');
  return record;
}
