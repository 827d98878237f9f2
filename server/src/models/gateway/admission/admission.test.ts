// What one call puts into the common batch changes nothing for the others. A model of a stranger, a name, and a database that refuses.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import { modelStage, type ModelStage } from '../../../testing/models/model-stage.ts';
import { openAdmission, unknown_usage } from './admission.ts';

let stage: ModelStage;
const lines: string[] = [];

beforeAll(async () => {
  stage = await modelStage({ onLog: (line) => lines.push(line) });
});
afterAll(async () => await stage?.stop());

const keyOf = async () => await stage.max.client.call('keys.create', { body: { max_budget: '1000' } });
const statement = (text: string) => ({ strings: [text], values: [] });
const asked = (model: string) => ({ model, max_tokens: 16, messages: [{ role: 'user', content: 'Hello' }] });
const rowsOf = async (key_id: string) =>
  await stage.app.db.all(
    sql`select outcome, estimated, input_tokens, output_tokens from ledger where key_id = ${key_id}`,
  );

async function statusOf(path: string, key: string | undefined, body: object): Promise<number> {
  const answered = await fetch(`${stage.app.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key ?? '', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answered.body?.cancel();
  return answered.status;
}

/** The statuses of another caller's calls meanwhile. */
async function callsBeside(work: Promise<unknown>): Promise<Set<number>> {
  const { key } = await keyOf();
  const statuses = new Set<number>();
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  do statuses.add((await stage.call(key)).status);
  while (!isOver);
  await over;
  for (let more = 0; more < 5; more++) statuses.add((await stage.call(key)).status);
  return statuses;
}

test('impossible counts of a server charge the hold of their own call, and others are answered (T278)', async () => {
  const { upstream, max } = stage;
  const iteration = { type: 'compaction', input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 1 };
  const counts = [
    { input_tokens: 1, output_tokens: 1, iterations: Array.from({ length: 1100 }, () => iteration) },
    { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 1 },
    { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: Number.MAX_SAFE_INTEGER } },
  ];
  upstream.mock.mount('/liar/messages', {
    handleRequest: async (_, response) => {
      const usage = counts.shift();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'message', role: 'assistant', content: [], usage }));
      return await Promise.resolve(true);
    },
  });
  const config = {
    provider: 'anthropic',
    model: 'liar-1',
    base_url: upstream.base_url.replace(/v1$/, 'liar'),
    price_usd_per_million: { input: '100', output: '100' },
  };
  await max.client.call('registry.create', {
    params: { kind: 'model' },
    body: { name: 'liar', team: 'ml', config },
  });
  const { key, id } = await keyOf();
  const lies = async () => {
    while (counts.length > 0) expect(await statusOf('messages', key, asked('liar'))).toBe(200);
    await expect.poll(async () => (await rowsOf(id)).length).toBe(3);
  };
  expect(await callsBeside(lies())).toEqual(new Set([200]));
  const charged = { outcome: 'answered', estimated: true, input_tokens: 0, output_tokens: 0 };
  expect(await rowsOf(id)).toEqual([charged, charged, charged]);
});

test('a name of a model that no database stores is refused on each path, and others are answered (T279)', async () => {
  const { key } = await keyOf();
  const bodies = {
    'chat/completions': asked('small'),
    messages: asked('small'),
    'messages/count_tokens': asked('small'),
    responses: { model: 'small', input: 'Hello' },
    embeddings: { model: 'small', input: 'Hello' },
  };
  const names = async () => {
    for (const [path, body] of Object.entries(bodies))
      for (const model of ['a\u0000b', 'a\ud800b'])
        expect([path, await statusOf(path, key, { ...body, model })]).toEqual([path, 400]);
  };
  expect(await callsBeside(names())).toEqual(new Set([200]));
});

test('a hold that the database refuses fails its own call alone, and a refused settlement is charged in full', async () => {
  const { app } = stage;
  const refusing = (table: string, when: string) => [
    `create function refuse_${table}() returns trigger language plpgsql as $$
      begin if ${when} then raise exception 'poison' using errcode = '22003'; end if; return new; end $$`,
    `create trigger refuse before insert on ${table} for each row execute function refuse_${table}()`,
  ];
  const [refused, charged, left] = [await keyOf(), await keyOf(), await keyOf()];
  for (const text of [
    ...refusing('hold', `new.call ->> 'key_id' = '${refused.id}'`),
    ...refusing('ledger', `new.key_id = '${left.id}' or new.key_id = '${charged.id}' and not new.estimated`),
  ])
    await app.db.run(statement(text));
  const poisons = async () => {
    const own = await Promise.all([refused, charged, left].map(async ({ key }) => (await stage.call(key)).status));
    expect(own).toEqual([500, 200, 200]);
    await expect.poll(async () => await rowsOf(charged.id)).toMatchObject([{ estimated: true }]);
    await expect.poll(() => lines.filter((line) => line.includes('cannot be charged either')).length).toBe(1);
  };
  expect(await callsBeside(poisons())).toEqual(new Set([200]));
  const holders = async () => await app.db.all(sql`select call ->> 'key_id' as key_id from hold`);
  await expect.poll(holders).toEqual([{ key_id: left.id }]);
  for (const table of ['hold', 'ledger']) await app.db.run(statement(`drop function refuse_${table} cascade`));
});

test('a service whose ledger stores nothing is not ready, and recovers by itself', async () => {
  const { app } = stage;
  const { key } = await keyOf();
  const readiness = async () => {
    const answered = await fetch(`${app.url}/readyz`);
    return { status: answered.status, code: ((await answered.json()) as { code?: string }).code };
  };
  expect(await readiness()).toMatchObject({ status: 200 });
  await app.db.run(statement('alter table rate rename to rate_away'));
  expect(await stage.call(key)).toMatchObject({ status: 503, code: 'ledger_unavailable' });
  await expect.poll(readiness).toEqual({ status: 503, code: 'ledger_unavailable' });
  await app.db.run(statement('alter table rate_away rename to rate'));
  await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({ status: 200 });
  expect(await stage.call(key)).toMatchObject({ status: 200 });
});

test('closing ends while the database is away, and says that its holds remain', async () => {
  const db = openDatabase({ host: '127.0.0.1', port: await freePort() }, { max: 1 });
  const admission = openAdmission(db, {
    facts: { load: async () => await Promise.reject(new Error('no call is admitted')) },
    process: '00000000-0000-4000-8000-000000000000',
    onError: () => {},
    close_ms: 100,
  });
  const hold_id = '00000000-0000-4000-8000-000000000001';
  admission.settle({ hold_id, accounts: [], outcome: 'answered', ...unknown_usage });
  expect(await admission.close()).toBe(false);
  await db.close();
});
