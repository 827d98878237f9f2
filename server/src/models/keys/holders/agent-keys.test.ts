// The key of an agent's revision, from the step that issues it to the end of the revision.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorize } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { openEnvelope } from '../../../ground/envelope/envelope.ts';
import { openStoredKeys } from '../../../ground/envelope/stored-keys.ts';
import { findUser } from '../../../people/principals/find.ts';
import { modelStage, type ModelStage } from '../../../testing/models/model-stage.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { activateAgentKey, endAgentKey, mintAgentKey, openAgentKey } from './agent-keys.ts';
import type { KeyMaker } from '../parts.ts';

let stage: ModelStage;
let maker: KeyMaker;

beforeAll(async () => {
  stage = await modelStage();
  const keys = await openStoredKeys(stage.app.db, { secret_key: stage.app.secret_key });
  maker = { pepper: keys['key-pepper'], envelope: openEnvelope(keys.envelope) };
});
afterAll(async () => await stage?.stop());

async function inChange<T>(work: (tx: GovernedTx) => Promise<T>): Promise<T> {
  const grant = authorize(systemCaller('system.resume'), 'system.resume', theOrg);
  return await change(stage.app.db, grant, 'deploy', work);
}

test('a revision’s key works from its registration to its end, beside the key of the revision that drains', async () => {
  const { app, max, call } = stage;
  const { asset_id: agent_id, name } = await storeAgent(app, max.email, { name: 'support' });
  const user = await findUser(app.db, max.email);
  const team_id = (await max.client.call('teams.show', { params: { team: 'ml' } })).id;
  const revision = async (models: string[]) => {
    const { id } = await inChange(
      async (tx) => await mintAgentKey(maker, tx, { agent_id, name, team_id, models, created_by: user?.id ?? '' }),
    );
    return { id, key: await openAgentKey(maker, app.db, id) };
  };
  const first = await revision(['small']);
  expect(await call(first.key)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  await inChange(async (tx) => await activateAgentKey(tx, first.id));
  expect((await call(first.key)).status).toBe(200);
  expect((await call(first.key, { model: 'large' })).code).toBe('model_not_allowed');

  const second = await revision(['large']);
  await inChange(async (tx) => await activateAgentKey(tx, second.id));
  expect([(await call(first.key)).status, (await call(second.key, { model: 'large' })).status]).toEqual([200, 200]);
  await inChange(async (tx) => await endAgentKey(tx, first.id));
  expect([(await call(first.key)).status, (await call(second.key, { model: 'large' })).status]).toEqual([401, 200]);
  expect(await openAgentKey(maker, app.db, first.id)).toBeUndefined();

  const shown = await max.client.call('keys.list', { query: { scope: 'agent' } });
  expect(shown.items).toMatchObject([{ issued: true, scope_name: name, tags: ['team:ml', `agent:${name}`] }]);
  await expect(max.client.call('keys.rotate', { params: { id: second.id } })).rejects.toMatchObject({
    code: 'conflict',
  });
  await app.admin.client.call('agents.delete', { params: { name } });
  expect((await call(second.key, { model: 'large' })).status).toBe(401);
});
