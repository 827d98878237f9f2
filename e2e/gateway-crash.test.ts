// Services on one database, killed at random while clients spend one budget. The upstream's journal says what has been paid for.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../server/src/ground/database/sql.ts';
import { inSoak } from '../server/src/testing/config.ts';
import { printFigures } from '../server/src/testing/print-figures.ts';
import { nano_of_call, openGatewayStage, type GatewayStage } from './gateway-stage.ts';

const replicas = inSoak(2, 5);
const clients = inSoak(32, 64);
const limit_usd = inSoak(0.05, 3);
const limit_nano = limit_usd * 1e9;
let stage: GatewayStage;

beforeAll(async () => {
  stage = await openGatewayStage({ services: replicas, daily_usd: String(limit_usd) });
});
afterAll(async () => await stage?.stop());

test(
  'no kill -9 makes a budget spend more than its limit, loses a payment or leaves a hold for ever',
  async () => {
    const { db, key_id, account } = stage;
    let spending = true;
    const codes = new Map<string, number>();
    const client = async (n: number) => {
      while (spending) {
        const answered = await call(n);
        codes.set(answered, (codes.get(answered) ?? 0) + 1);
        // A client that asks a killed service at once takes the processor from its next start.
        if (answered !== '200') await delay(answered === 'broken' ? 250 : 20);
      }
    };
    const calling = Array.from({ length: clients }, async (_, n) => await client(n));
    const samples = (async () => {
      while (spending) {
        const { spent, held } = await account();
        expect(spent + held).toBeLessThanOrEqual(limit_nano);
        await delay(10);
      }
    })();
    for (let round = 0; round < inSoak(3, 15); round++) {
      await delay(300 + Math.random() * 1200);
      await stage.kill(round);
    }
    await delay(500);
    spending = false;
    await Promise.all([...calling, samples]);
    expect(codes.get('200') ?? 0).toBeGreaterThan(30);

    // The holds of the killed processes are due at their deadlines, and under `npm run soak` a minute after the death.
    const strings = [
      `create or replace function clock_now() returns timestamptz language sql volatile as $$select clock_timestamp() + interval '${inSoak(12, 0)} minutes'$$`,
    ];
    await db.run({ strings, values: [] });
    const waiting_since = Date.now();
    await expect.poll(async () => (await account()).held, { timeout: 120_000, interval: 200 }).toBe(0);
    const held_ms = Date.now() - waiting_since;
    const journal = stage.upstream.mock.getRequests().length;
    const { spent } = await account();
    const rows = await db.one<{ calls: number; sum: number; lost: number; holds: number }>(sql`
      select count(*)::int as calls, sum(nano)::bigint as sum, count(*) filter (where outcome = 'lost')::int as lost,
        (select count(*)::int from hold) as holds from ledger where key_id = ${key_id}`);
    printFigures('kill -9', {
      replicas,
      clients,
      answers: Object.fromEntries(codes),
      journal,
      spent,
      limit_nano,
      held_ms,
      ...rows,
    });
    expect(rows?.sum).toBe(spent);
    expect(rows?.holds).toBe(0);
    expect(rows?.calls ?? 0).toBeGreaterThanOrEqual(journal);
    expect(journal * nano_of_call).toBeLessThanOrEqual(spent);
    expect(spent).toBeLessThanOrEqual(limit_nano);
  },
  inSoak(180_000, 1_200_000),
);

/** The status, or the reason that there is none. */
async function call(n: number): Promise<string> {
  try {
    const answered = await stage.call(n);
    await answered.text();
    return String(answered.status);
  } catch {
    return 'broken'; // its service was killed
  }
}
