// Services on one database, killed at random while clients call a tool that must not run twice. The server counts the calls by the ids in their arguments.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { digestOf } from '../server/src/assets/registry/content.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { inSoak } from '../server/src/testing/config.ts';
import { printFigures } from '../server/src/testing/print-figures.ts';
import { mcpServerOfTest, type McpServerOfTest } from '../server/src/testing/servers/mcp-server.ts';
import { openToolServices, type ToolServices } from './tool-services.ts';

const replicas = 2;
const clients = inSoak(16, 64);
const calls_each = inSoak(30, 1000);
const kills = inSoak(3, 12);
const nano_of_call = 100_000;

/** What a client was told: an answer, the code of a refusal, or nothing because its service died. */
const told = new Map<string, string>();
/** How often the server has done each call. */
const done = new Map<string, number>();
let upstream: McpServerOfTest;
let services: ToolServices;

beforeAll(async () => {
  upstream = await mcpServerOfTest([
    {
      name: 'pay',
      description: 'Pays once',
      inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      annotations: { idempotentHint: false },
      call: async ({ id }) => {
        done.set(String(id), (done.get(String(id)) ?? 0) + 1);
        await delay(20);
        return { content: [{ type: 'text', text: `paid ${String(id)}` }] };
      },
    },
  ]);
  services = await openToolServices({
    count: replicas,
    config: {
      url: upstream.url,
      rules: [{ name: 'named', allow: 'args.id != ""', because: 'Each payment has an id.' }],
      prices: [{ tools: ['pay'], usd: '0.0001' }],
    },
    daily_usd: '1000',
    at_once: 1000,
  });
});
afterAll(async () => {
  await services?.stop();
  await upstream?.close();
});

test(
  'no kill -9 makes a call twice, loses one from the audit log or leaves one open, and the budget adds up',
  async () => {
    const { db } = services;
    let calling = true;
    const all = Promise.all(Array.from({ length: clients }, async (_, n) => await client(n))).finally(
      () => (calling = false),
    );
    let killed = 0;
    const started = performance.now();
    for (; calling && killed < kills; killed++) {
      await delay(inSoak(400, 3000) + Math.random() * inSoak(600, 6000));
      await services.kill(killed % replicas);
      await services.start(killed % replicas);
    }
    await all;
    const seconds = Math.round((performance.now() - started) / 1000);
    const answers = Object.groupBy(told, ([, one]) => one);
    const acknowledged = (answers['paid'] ?? []).map(([id]) => id);
    expect(told.size).toBe(clients * calls_each);
    expect(acknowledged.length).toBeGreaterThan(told.size / 2);
    expect(killed).toBeGreaterThan(0);

    // What the killed processes have left is due after its time.
    const strings = [
      `create or replace function clock_now() returns timestamptz language sql volatile as $$select clock_timestamp() + interval '20 minutes'$$`,
    ];
    await db.run({ strings, values: [] });
    const left = async () =>
      await db.one(sql`
        select (select count(*)::int from tool_call where not is_recorded) as calls, (select count(*)::int from hold) as holds`);
    await expect.poll(left, { timeout: 180_000, interval: 500 }).toEqual({ calls: 0, holds: 0 });

    // Nothing has run twice, what was acknowledged has run, and what was refused has not.
    expect([...done].filter(([, times]) => times > 1)).toEqual([]);
    expect(acknowledged.filter((id) => !done.has(id))).toEqual([]);
    const refused = [...told].filter(([, one]) => !['paid', 'broken', 'server_unavailable'].includes(one));
    expect(refused.filter(([id]) => done.has(id))).toEqual([]);

    // Each call is in the log once, and whatever the server has done is there.
    const logged = await db.all<{ id: string; arguments_digest: string; outcome: string }>(sql`
      select c->>'id' as id, c->>'arguments_digest' as arguments_digest, c->>'outcome' as outcome
      from audit.entry e, jsonb_array_elements(e.body::jsonb->'detail'->'list') c where e.body::jsonb->>'event' = 'tools.called'`);
    expect(new Set(logged.map(({ id }) => id)).size).toBe(logged.length);
    const outcomeOf = new Map(logged.map((one) => [one.arguments_digest, one.outcome]));
    expect(outcomeOf.size).toBe(logged.length);
    expect([...done.keys()].filter((id) => !outcomeOf.has(digestOf({ id })))).toEqual([]);
    expect(acknowledged.filter((id) => outcomeOf.get(digestOf({ id })) !== 'answered')).toEqual([]);
    const { verdict, damage } = await services.admin(0).call('audit.verify', { query: {} });
    expect({ verdict, damage }).toEqual({ verdict: 'unanchored', damage: [] }); // nobody keeps a copy outside

    // Each call that can have reached the server is paid for, at its price.
    const ledger = await db.one<{ paid: number; nano: number }>(sql`
      select count(*) filter (where nano > 0)::int as paid, coalesce(sum(nano), 0)::bigint as nano from ledger where key_id = ${services.key_id}`);
    const account = await db.one<{ spent: number; held: number }>(
      sql`select day_spent as spent, day_held as held from account where id = ${services.key_id}`,
    );
    expect(account).toEqual({ spent: ledger?.nano, held: 0 });
    expect(ledger?.nano).toBe((ledger?.paid ?? 0) * nano_of_call);
    expect(ledger?.paid).toBeGreaterThanOrEqual(done.size);
    expect(ledger?.paid).toBeLessThanOrEqual(logged.length);
    printFigures('calls of tools under kill -9', {
      clients,
      calls: told.size,
      killed,
      seconds,
      answers: Object.fromEntries(Object.entries(answers).map(([one, ids = []]) => [one, ids.length])),
      done: done.size,
      outcomes: Object.fromEntries(
        Object.entries(Object.groupBy(logged, ({ outcome }) => outcome)).map(([one, some = []]) => [one, some.length]),
      ),
      ...ledger,
    });
  },
  inSoak(240_000, 3_600_000),
);

/** Each call has an id of its own, and none is made again. */
async function client(n: number): Promise<void> {
  const headers = await services.openRun();
  for (let call = 0; call < calls_each; call++) {
    const id = `${n}-${call}`;
    let answer = await pay(n + call, id, headers);
    // Its service does not listen, so nobody has heard of the call.
    for (; answer === 'ECONNREFUSED'; answer = await pay(n + call, id, headers)) await delay(250);
    told.set(id, answer);
  }
}

async function pay(n: number, id: string, headers: Record<string, string>): Promise<string> {
  try {
    const answered = await fetch(services.cities[n % replicas] ?? '', {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'pay', arguments: { id } },
      }),
    });
    const text = await answered.text();
    if (text.includes(`paid ${id}`)) return 'paid';
    return /"gantry\/problem":\s*"(\w+)"/.exec(text)?.[1] ?? /"code":\s*"(\w+)"/.exec(text)?.[1] ?? 'broken';
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const isUnheard = cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
    return isUnheard ? 'ECONNREFUSED' : 'broken'; // its service was killed
  }
}
