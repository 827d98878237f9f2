import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
beforeAll(async () => {
  app = await testApp({ config: { outbound_private_hosts: ['127.0.0.1'] } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => await app?.stop());

async function newHook(
  name: string,
  config: Record<string, { title?: string; text?: string; url?: string }[]> = {
    documents: [{ title: 'page', text: 'a word' }],
  },
) {
  const { id } = await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name, team: 'ml', config },
  });
  const { address, secret = '' } = await ada.client.call('knowledge.create_hook', { params: { name } });
  return { id, secret, address: app.url + new URL(address).pathname };
}
const call = async (address: string, headers: Record<string, string>, body = '{"ref":"refs/heads/main"}') =>
  await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
const sign = (secret: string, body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const runsOf = async (id: string) =>
  await app.db.all<{ id: string; state: string; actor_name: string }>(sql`
    select id, state, actor_name from run where mutex = ${`refresh:${id}`} order by created_at`);
const settled = async (id: string, count: number) =>
  await expect
    .poll(async () => (await runsOf(id)).filter(({ state }) => state === 'done').length, { timeout: 20_000 })
    .toBe(count);

test('T548: the signature of GitHub, the token of GitLab and a bearer each start a refresh as the owner, and the log says by what', async () => {
  const { id, secret, address } = await newHook('signed');
  const body = JSON.stringify({ text: 'x'.repeat(300_000) });
  const ways: Record<string, string>[] = [
    { 'x-hub-signature-256': sign(secret, body) },
    { 'x-gitlab-token': secret },
    { authorization: `Bearer ${secret}` },
  ];
  for (const [n, headers] of ways.entries()) {
    expect((await call(address, headers, body)).status).toBe(204);
    await settled(id, n + 1);
  }
  expect(new Set((await runsOf(id)).map(({ actor_name }) => actor_name))).toEqual(new Set(['ada@example.com']));
  const { items } = await app.admin.client.call('audit.list', {
    query: { action: 'knowledge.refresh_started', asset: 'knowledge-bases/signed' },
  });
  expect(items).toHaveLength(3);
  expect(items[0]).toMatchObject({
    actor: { name: 'system.refresh' },
    detail: { by: 'hook', hook: address.split('/').at(-1), as: 'ada@example.com' },
  });
  expect(await ada.client.call('knowledge.upkeep', { params: { name: 'signed' } })).toMatchObject({
    last: { state: 'done', started: 'hook', by: 'ada@example.com' },
    hook: { created_by: 'ada@example.com' },
  });
});

test('T548: without the secret, with another one or for another body, a call gets the answer of a hook that does not exist', async () => {
  const { id, secret, address } = await newHook('guarded');
  const other = await newHook('other');
  const nowhere = address.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000');
  const body = '{"ref":"refs/heads/main"}';
  const wrong: [string, Record<string, string>][] = [
    [address, {}],
    [address, { 'x-hub-signature-256': sign(other.secret, body) }],
    [address, { 'x-hub-signature-256': sign(secret, `${body} `) }],
    [address, { 'x-hub-signature-256': sign(secret, body).replace('sha256=', '') }],
    [address, { 'x-gitlab-token': other.secret }],
    [address, { 'x-gitlab-token': '' }],
    [address, { authorization: `Bearer ${secret}x` }],
    [address, { authorization: 'Bearer ' }],
    // The first of the three counts alone.
    [address, { 'x-hub-signature-256': 'sha256=', authorization: `Bearer ${secret}` }],
    [nowhere, { authorization: `Bearer ${secret}` }],
    [nowhere, {}],
  ];
  const answers = new Set<string>();
  for (const [to, headers] of wrong) {
    const response = await call(to, headers, body);
    const said = (await response.json()) as object;
    answers.add(JSON.stringify({ status: response.status, ...said, request_id: '', trace_id: '', instance: '' }));
  }
  expect([...answers]).toHaveLength(1);
  expect([...answers][0]).toContain('"status":401');
  expect(await runsOf(id)).toEqual([]);
  expect((await call(address, { authorization: `Bearer ${secret}` }, 'x'.repeat(1_100_000))).status).toBe(413);
  await ada.client.call('knowledge.delete_hook', { params: { name: 'guarded' } });
  expect((await call(address, { authorization: `Bearer ${secret}` })).status).toBe(401);
});

test('T548: the secret is shown once, and neither the database nor the log has it', async () => {
  const { secret } = await newHook('kept');
  expect(JSON.stringify(await ada.client.call('knowledge.upkeep', { params: { name: 'kept' } }))).not.toContain(secret);
  await expect(ada.client.call('knowledge.create_hook', { params: { name: 'kept' } })).rejects.toMatchObject({
    code: 'exists',
  });
  const rows = await app.db.all<{ text: string }>(sql`
    select encode(secret, 'escape') as text from knowledge_hook union all select body::text from audit.entry`);
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.filter(({ text }) => text.includes(secret))).toEqual([]);
});

test('T549: while a refresh runs, many calls leave one more, which begins after it', async () => {
  const gates: (() => void)[] = [];
  const url = await answeringServer((request, response) => {
    if (request.method === 'HEAD') response.writeHead(405).end();
    else gates.push(() => response.end('a word'));
  });
  const { id, secret, address } = await newHook('busy', { documents: [{ url }] });
  const hook = async () => (await call(address, { authorization: `Bearer ${secret}` })).status;
  expect(await hook()).toBe(204);
  await expect.poll(() => gates.length, { timeout: 10_000 }).toBe(1);
  expect(new Set(await Promise.all(Array.from({ length: 12 }, hook)))).toEqual(new Set([204]));
  // Stored, so a kill does not lose it.
  expect(await runsOf(id)).toHaveLength(2);
  gates[0]?.();
  await expect.poll(() => gates.length, { timeout: 20_000 }).toBe(2);
  gates[1]?.();
  await settled(id, 2);
  expect(await runsOf(id)).toHaveLength(2);
});
