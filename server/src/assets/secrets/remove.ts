import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAssetById, findReadable, type AssetRecord } from '../registry/find.ts';
import type { SecretParts } from './parts.ts';
import type { Stores } from './stores/index.ts';
import * as store from './store.ts';

/** Throws `in_use` with the deployed agents that get it, and the models that are called with it. */
export async function removeSecret(parts: SecretParts, caller: Caller, id: string): Promise<void> {
  const { db, stores, findUsers } = parts;
  const user = signedIn(caller);
  const row = await store.secretById(db, id);
  if (row === undefined) throw new Problem('not_found');
  const grant = await authorizeRow(db, caller, row);
  await change(db, grant, 'secret.removed', async (tx, note) => {
    // A deploy that uses it has committed by now, or finds no secret.
    if ((await store.lockSecret(tx, id)) === undefined) throw new Problem('not_found');
    const uses = (await findUsers(tx, [id])).map(({ agent_id }) => agent_id);
    const { team_id, name } = row;
    const models = team_id === null ? [] : (await store.modelsNaming(tx, { team_id, name })).map((model) => model.id);
    if (uses.length + models.length > 0) {
      const readable = await findReadable(tx, user, [...uses, ...models]);
      throw inUse(name, readable, uses.length + models.length - readable.length);
    }
    await stores[row.store].remove(tx, id);
    await store.deleteSecret(tx, id);
    note({ secret: row.name });
  });
}

/** The secrets of a deleted agent. */
export async function removeSecretsOf(tx: GovernedTx, stores: Stores, agent_id: string): Promise<void> {
  for (const row of await store.secretsIn(tx, { agent_id })) {
    await stores[row.store].remove(tx, row.id);
    await store.deleteSecret(tx, row.id);
  }
}

/** The names of a team's secrets, as `secret:<name>`. */
export async function secretsOfTeam(db: Reader, team_id: string): Promise<string[]> {
  return (await store.secretsIn(db, { team_id })).map(({ name }) => `secret:${name}`);
}

async function authorizeRow(db: Reader, caller: Caller, row: store.SecretRow): Promise<Grant> {
  if (row.team_id !== null)
    return authorize(caller, 'team_secret.change', { kind: 'team', id: row.team_id, name: row.team ?? '' });
  const asset = await findAssetById(db, row.agent_id ?? '', caller);
  if (asset === undefined) throw new Problem('not_found');
  return authorize(caller, 'agent_secret.change', asset);
}

function inUse(name: string, readable: readonly AssetRecord[], hidden: number): Problem {
  const others = hidden === 0 ? [] : [`${hidden} that you may not read`];
  const named = (kind: string) =>
    readable
      .filter((asset) => asset.asset_kind === kind)
      .map((asset) => asset.name)
      .toSorted();
  const [used_by, models] = [named('agent'), named('model')];
  return new Problem('in_use', {
    detail: `${name} is used by ${[...readable.map(({ ref }) => ref).toSorted(), ...others].join(', ')}.`,
    hint: `First deploy versions without it, or delete these agents.${models.length === 0 ? '' : ` Change these models, or remove them: svc model remove ${models[0]}`}`,
    fields: { used_by, models },
  });
}
