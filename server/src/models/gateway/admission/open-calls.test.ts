// Keys that end while their calls are under way on two services. The upstream answers the rest when the test releases it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { answer, faultyUpstream, type FaultyUpstream } from '../../../testing/models/faulty-upstream.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let upstream: FaultyUpstream;
let app: TestApp;
let urls: string[];
let ada: TestUser;

beforeAll(async () => {
  upstream = await faultyUpstream();
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  urls = [app.url, (await app.another()).url];
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const price_usd_per_million = { input: '0.15', output: '0.60' };
  const config = { provider: 'test', model: 'm', base_url: upstream.at('slow'), price_usd_per_million };
  await ada.client.call('registry.create', { params: { kind: 'model' }, body: { name: 'small', team: 'ml', config } });
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});

type Made = { id: string; key?: string | undefined };
const keyOf = async ({ client }: TestUser, more: object = {}): Promise<Made> =>
  await client.call('keys.create', { body: { max_budget: '1', ...more } });

test.each<[string, () => Promise<Made & { end: () => Promise<unknown> }>]>([
  [
    'is revoked',
    async () => {
      const key = await keyOf(ada);
      return { ...key, end: async () => await ada.client.call('keys.revoke', { params: { id: key.id } }) };
    },
  ],
  [
    'is rotated',
    async () => {
      const key = await keyOf(ada);
      return { ...key, end: async () => await ada.client.call('keys.rotate', { params: { id: key.id } }) };
    },
  ],
  [
    'loses its member',
    async () => {
      const bob = await app.user('bob@example.com', { teams: { ml: 'contributor' } });
      const params = { team: 'ml', principal: `user:${bob.email}` };
      const end = async () => await ada.client.call('teams.remove_member', { params });
      return { ...(await keyOf(bob)), end };
    },
  ],
  [
    'loses its agent to another team',
    async () => {
      const otto = await app.user('otto@example.com', { teams: { ops: 'admin' } });
      const { name } = await storeAgent(app, ada.email, { name: 'mover' });
      const to = { params: { kind: 'agent', name }, body: { team: 'ops', owner: otto.email } } as const;
      const end = async () => await app.admin.client.call('registry.transfer', to);
      return { ...(await keyOf(ada, { scope: 'agent', scope_id: name })), end };
    },
  ],
  [
    'expires',
    async () => ({
      ...(await keyOf(ada, { expires_in_seconds: 600 })),
      end: async () => await app.moveClock('11 minutes'),
    }),
  ],
])(
  'a key that %s ends its calls under way on each service and at the provider, and they pay their holds',
  async (_, make) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let begun = 0;
    let closed = 0;
    upstream.behave('slow', (response) => {
      begun += 1;
      response.once('close', () => (closed += response.writableFinished ? 0 : 1));
      if (JSON.stringify(upstream.journal.at(-1)?.sent).includes('"stream":false')) {
        void released.then(() =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
        );
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Pa"}}]}\n\n');
      void released.then(() =>
        response.end(`data: ${JSON.stringify({ choices: [], usage: answer.usage })}\n\ndata: [DONE]\n\n`),
      );
    });
    const { id, key, end } = await make();
    const ask = async (url: string, stream: boolean) =>
      await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'small', stream, messages: [{ role: 'user', content: 'Hello' }] }),
      });
    const waiting = urls.map(async (url) => await ask(url, false));
    const streams = await Promise.all(urls.map(async (url) => await ask(url, true)));
    await expect.poll(() => begun).toBe(4);
    try {
      await end();
      for (const stream of streams) {
        const said = await stream.text();
        expect(said).toContain('"Pa"');
        expect(said).toMatch(/"code":"invalid_api_key","message":"The key gtk_\S+ ended during the call/);
      }
      for (const one of waiting) expect((await one).status).toBe(401);
    } finally {
      await app.moveClock('0 minutes');
    }
    const rows = async () =>
      await app.db.all(sql`select outcome, nano, estimated from ledger where key_id = ${id}
      union all select 'under way', null, null from hold where ${id} = any(accounts)`);
    await expect.poll(rows).toMatchObject(Array.from({ length: 4 }, () => ({ outcome: 'failed', estimated: true })));
    await expect.poll(() => closed).toBe(4);
    release();
  },
);
