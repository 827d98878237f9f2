// Open streams whose reader loses the right to them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { insertDeployment } from '../../../agents/deploy/store.ts';
import { enqueue } from '../../../ground/runs/run.ts';
import { append, event_channel, notify } from '../../../ground/runs/store.ts';
import { storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { whileAllowed } from './while-allowed.ts';

const never = new AbortController().signal;

test('items after the refusal are not sent, and the source ends', async () => {
  let ended = false;
  let allowed = true;
  async function* source(signal: AbortSignal) {
    try {
      yield 'one';
      allowed = false;
      await new Promise((resolve) => setTimeout(resolve, 1100));
      yield 'two';
      expect(signal.aborted).toBe(true);
    } finally {
      ended = true;
    }
  }
  const decide = async () => {
    if (!allowed) throw new Error('not any more');
  };
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of await whileAllowed({ decide, signal: never }, async (signal) => source(signal)))
      seen.push(event);
  })();
  await expect(reading).rejects.toThrow('not any more');
  expect({ seen, ended }).toEqual({ seen: ['one'], ended: true });
});

describe('a stream of an agent that its reader may no longer read:', () => {
  let app: TestApp;
  let agent: StoredAgent;
  let ada: TestUser;
  beforeAll(async () => {
    app = await testApp();
    ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
    agent = await storeAgent(app, ada.email, { name: 'greeter' });
    const params = { kind: 'agent', name: 'greeter' } as const;
    await ada.client.call('registry.set_visibility', { params, body: { visibility: 'team' } });
  });
  afterAll(async () => await app?.stop());

  /** A run whose executor is another process, by its record. */
  async function begin(kind: 'push' | 'deploy') {
    const { asset_id, version_id } = agent;
    const { id } = await app.db.transaction(async (tx) => {
      const actor = { user_id: asset_id, name: 'somebody' };
      const run = await enqueue(tx, { kind, mutex: kind, input: { asset_id }, actor });
      await tx.run(
        sql`update run set state = 'running', owner = 'other', lease_until = 'infinity' where id = ${run.id}`,
      );
      const row = { run_id: run.id, agent_id: asset_id, agent: 'greeter', version_id, version: '1.0.0' };
      if (kind === 'deploy')
        await insertDeployment(tx, {
          operation: 'deploy',
          ...row,
          digest: 'sha256:x',
          target: 'local',
          approval_id: null,
        });
      return run;
    });
    const say = async (message: string) =>
      await app.db.transaction(async (tx) => {
        await append(tx, { id, fence: 0 }, [{ kind: 'log', step: null, state: null, message, data: {} }], 0);
        await notify(tx, event_channel, id);
      });
    return { id, say };
  }

  test.each([
    { events: 'pushes.events', kind: 'push' },
    { events: 'deployments.events', kind: 'deploy' },
  ] as const)('$events ends with the refusal, and sends nothing after it', async ({ events, kind }) => {
    const eve = await app.user(`eve-${kind}@example.com`, { teams: { ml: 'deployer' } });
    const { id, say } = await begin(kind);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { data } of await eve.client.call(events, { params: { id } })) seen.push(data.message);
    })().catch((error: unknown) => error);
    await say('before');
    await expect.poll(() => seen, { timeout: 15_000 }).toEqual(['before']);
    await ada.client.call('teams.remove_member', { params: { team: 'ml', principal: `user:${eve.email}` } });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await say('after');
    expect(await reading).toMatchObject({ code: 'not_found' });
    expect(seen).toEqual(['before']);
  });

  test('agents.logs ends with the refusal, also when it is quiet', async () => {
    const eve = await app.user('eve-logs@example.com', { teams: { ml: 'deployer' } });
    const logs = await eve.client.call('agents.logs', { params: { name: 'greeter' }, query: { follow: 'true' } });
    const reading = (async () => {
      for await (const _ of logs);
    })().catch((error: unknown) => error);
    await ada.client.call('teams.remove_member', { params: { team: 'ml', principal: `user:${eve.email}` } });
    expect(await reading).toMatchObject({ code: 'not_found' });
  });
});
