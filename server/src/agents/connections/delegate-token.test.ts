// A server with `as: delegate` checks our tokens as the API of a company would: with a library of others and our published keys.
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { toolStage, type ToolStage } from '../../testing/agents/tool-stage.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { textTool } from '../../testing/servers/mcp-server.ts';

let stage: ToolStage;
beforeAll(async () => {
  stage = await toolStage({ tools: [textTool('send', 'Sends', () => 'sent')], config: { as: 'delegate' } });
});
afterAll(async () => await stage?.close());
beforeEach(() => void (stage.upstream.seen = []));

const keysAt = () => createRemoteJWKSet(new URL(`${stage.app.url}/.well-known/jwks.json`));
const verify = async (token: string, audience = stage.upstream.url, keys = keysAt()) =>
  await jwtVerify(token, keys, { issuer: stage.app.url, audience, algorithms: ['ES256'], typ: 'at+jwt' });
const tokens = () => stage.upstream.seen.map(({ authorization = '' }) => authorization.replace('Bearer ', ''));
const published = async () =>
  ((await (await fetch(`${stage.app.url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }).keys;

test('each request has a token of its own, for the end caller, by the agents, for this server, for a minute', async () => {
  const { asset_id } = await storeAgent(stage.app, stage.ada.email, { name: 'front' });
  const front = { id: asset_id, ref: 'agents/front' };
  await stage.begin(stage.ada_id, [front]);
  expect((await stage.call('send', {})).isError).toBe(false);
  await stage.end();
  const { payload } = await verify(tokens().at(-1) ?? '');
  expect(payload).toMatchObject({
    iss: stage.app.url,
    sub: stage.ada_id,
    name: stage.ada.email,
    aud: stage.upstream.url,
    client_id: 'agents/keeper',
    act: { sub: stage.agent.asset_id, name: 'agents/keeper', act: { sub: front.id, name: front.ref } },
  });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
  const ids = await Promise.all(tokens().map(async (token) => (await verify(token)).payload.jti));
  expect(new Set(ids).size).toBe(ids.length);
  await expect(verify(tokens().at(-1) ?? '', 'https://another.example/mcp')).rejects.toThrow('aud');
});

test('a call by another way has another chain in its token', async () => {
  await stage.begin();
  await stage.call('send', {});
  await stage.end();
  const { payload } = await verify(tokens().at(-1) ?? '');
  expect(payload['act']).toEqual({ sub: stage.agent.asset_id, name: 'agents/keeper' });
});

test('a token of a call opens nothing here, and no token of a session is one of a call', async () => {
  await stage.begin();
  await stage.call('send', {});
  await stage.end();
  const ask = async (token: string) =>
    (await fetch(`${stage.app.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await ask(stage.ada.token)).toBe(200);
  expect(await ask(tokens().at(-1) ?? '')).toBe(401);
  await expect(verify(stage.ada.token, 'gantry-api')).rejects.toThrow();
});

test('keys rotate: the next one is known before it signs, the former one verifies on, and no private half leaves the database open', async () => {
  await stage.begin();
  await stage.call('send', {});
  const before = tokens().at(-1) ?? '';
  const [next] = await published();
  expect(await published()).toHaveLength(2);
  const rotated = await stage.app.admin.client.call('signing_keys.rotate', {});
  expect(rotated.map(({ state }) => state).toSorted()).toEqual(['current', 'next', 'retired']);
  expect(rotated.find(({ state }) => state === 'current')?.kid).toBe(next?.kid);
  expect(rotated.find(({ state }) => state === 'retired')?.kid).toBe(decodeProtectedHeader(before).kid);
  await verify(before);
  const rows = await stage.app.db.all<{ public_jwk: object; sealed: Buffer }>(
    sql`select public_jwk, sealed from signing_key`,
  );
  expect(
    rows.every(({ public_jwk, sealed }) => !('d' in public_jwk) && !sealed.toString('latin1').includes('"d"')),
  ).toBe(true);
  expect(Object.keys((await published())[0] ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  await stage.end();
});

test('an old key makes way for the next one by itself, once for many processes', async () => {
  await stage.app.governed(
    sql`update signing_key set signs_since = clock_now() - interval '91 days' where state = 'current' returning id`,
  );
  const asked = await Promise.all(Array.from({ length: 5 }, published));
  expect(new Set(asked.flat().map(({ kid }) => kid)).size).toBe(asked[0]?.length);
  const { items } = await stage.app.admin.client.call('audit.list', { query: { action: 'signing_key.rotated' } });
  expect(items.map(({ actor }) => actor.kind).toSorted()).toEqual(['system', 'system', 'user']);
});
