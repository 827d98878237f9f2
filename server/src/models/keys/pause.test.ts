// An upstream that bills more than any call to it can cost.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelStage, type ModelStage } from '../../testing/models/model-stage.ts';
import type { TestApp, TestUser } from '../../testing/test-app.ts';

let stage: ModelStage;
let app: TestApp;
let max: TestUser;
let other: string;

beforeAll(async () => {
  stage = await modelStage();
  ({ app, max } = stage);
  other = (await app.another()).url;
  const usage = { prompt_tokens: 900_000, completion_tokens: 100_000, total_tokens: 1_000_000 };
  stage.upstream.mock.prependFixture({ match: { userMessage: 'dear' }, response: { content: 'Paris', usage } });
});
afterAll(async () => await stage?.stop());

const dear = { body: { messages: [{ role: 'user', content: 'dear' }] } };
const stateOf = async (id: string) => (await max.client.call('keys.show', { params: { id } })).state;

test('a call that costs more than its hold pauses its key on every service, on record, until an admin resumes it', async () => {
  const vic = await app.user('vic@example.com', { teams: { ml: 'contributor' } });
  const made = await vic.client.call('keys.create', { body: { max_budget: '1000' } });
  const { id, prefix } = made;
  const spare = await vic.client.call('keys.create', { body: {} });
  expect(await stage.call(made.key, dear)).toMatchObject({ status: 200 });
  await expect.poll(async () => await stateOf(id)).toBe('paused');

  const reached = stage.upstream.mock.getRequests().length;
  for (const url of [app.url, other]) {
    const refused = await stage.call(made.key, { url });
    expect(refused).toMatchObject({ status: 403, code: 'key_paused' });
    expect(refused.message).toContain(`svc key resume ${prefix}`);
  }
  expect(stage.upstream.mock.getRequests()).toHaveLength(reached);
  expect((await stage.call(spare.key)).status).toBe(200);
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'key.paused' } });
  // 1,000,000 tokens at $100 per million.
  expect(items).toMatchObject([{ team: 'ml', detail: { key: prefix, model: 'small', cost_usd: '100.00' } }]);

  for (const { client } of [app.admin, vic, max])
    await expect
      .poll(async () => (await client.call('notifications.list', { query: {} })).items)
      .toMatchObject([{ kind: 'key_paused', account: `key:${prefix}` }]);

  const next = await vic.client.call('keys.rotate', { params: { id } });
  expect(await stage.call(next.key)).toMatchObject({ status: 403, code: 'key_paused' });
  const params = { id: next.id };
  await expect(vic.client.call('keys.resume', { params })).rejects.toMatchObject({ code: 'forbidden' });
  expect(await max.client.call('keys.resume', { params })).toMatchObject({ state: 'active' });
  expect((await stage.call(next.key)).status).toBe(200);
  await expect(max.client.call('keys.resume', { params })).rejects.toMatchObject({ code: 'conflict' });
});
