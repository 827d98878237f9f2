// Calls to models through the real service, with OpenAI's own client. The upstream's journal says what really reached it.
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../database/sql.ts';
import { modelUpstream, type ModelUpstream } from '../testing/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;

beforeAll(async () => {
  upstream = await modelUpstream();
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  await ada.client.call('registry.create', {
    params: { kind: 'model' },
    body: {
      name: 'small',
      team: 'ml',
      config: {
        provider: 'test',
        model: 'gpt-4o-mini',
        base_url: upstream.base_url,
        price_usd_per_million: { input: '0.15', output: '0.60' },
      },
    },
  });
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});

const clientOf = (key: string | undefined) =>
  new OpenAI({ apiKey: key ?? '', baseURL: `${app.url}/v1`, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'What is the capital of France?' }];
const rows = async () =>
  await app.db.all<Record<string, unknown>>(
    sql`select model, "user", team, outcome, input_tokens, output_tokens, nano, estimated from ledger order by at`,
  );

test('a call with a key is answered, charged to the nano-dollar, and leaves no hold', async () => {
  const { key, prefix } = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  expect(key?.slice(0, 12)).toBe(prefix);
  const answer = await clientOf(key).chat.completions.create({ model: 'small', messages });
  expect(answer.choices[0]?.message.content).toBe('The capital of France is Paris.');
  await expect.poll(rows).toEqual([
    {
      model: 'small',
      user: 'ada@example.com',
      team: 'ml',
      outcome: 'answered',
      input_tokens: 20,
      output_tokens: 10,
      // 20 × $0.15 + 10 × $0.60 per million.
      nano: 9000,
      estimated: false,
    },
  ]);
  expect(await app.db.all(sql`select id from hold`)).toEqual([]);
  expect(upstream.mock.getRequests().at(-1)?.body).toMatchObject({ model: 'gpt-4o-mini', max_tokens: 4096 });
});
