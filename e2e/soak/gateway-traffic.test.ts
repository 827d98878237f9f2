// Two services under mixed traffic for a while: answers, streams, clients that leave, and refusals. Nothing grows, and no amount is lost.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../server/src/ground/database/sql.ts';
import { trafficSeconds } from '../../server/src/testing/config.ts';
import { printFigures } from '../../server/src/testing/print-figures.ts';
import { openGatewayStage, type GatewayStage } from '../gateway-stage.ts';

const seconds = trafficSeconds();
let stage: GatewayStage;

beforeAll(async () => {
  stage = await openGatewayStage({ services: 2, daily_usd: '10000' });
});
afterAll(async () => await stage?.stop());

const asks: ((n: number) => Promise<string>)[] = [
  async (n) => await whole(n),
  async (n) => await whole(n),
  async (n) => await whole(n, { stream: true }),
  async (n) => await left(n),
  async (n) => await whole(n, { model: 'absent' }),
];

test(
  'memory stays flat under traffic, and the ledger agrees with the accounts after it',
  async () => {
    const { db, key_id, account } = stage;
    const pids = stage.pids();
    const ends = Date.now() + seconds * 1000;
    const answers = new Map<string, number>();
    const client = async (n: number) => {
      for (let call = n; Date.now() < ends; call++) {
        const answer = await asks[call % asks.length]?.(call);
        answers.set(String(answer), (answers.get(String(answer)) ?? 0) + 1);
      }
    };
    const samples: number[][] = [];
    const sampling = (async () => {
      while (Date.now() < ends) {
        await delay((seconds * 1000) / 100);
        samples.push(await Promise.all(pids.map(residentMb)));
        // The journal of the upstream is in this process, and is not needed.
        stage.upstream.mock.clearRequests();
      }
    })();
    await Promise.all([...Array.from({ length: 16 }, async (_, n) => await client(n)), sampling]);
    // A client that has left still pays, so its calls end a little later.
    await expect.poll(async () => (await account()).held, { timeout: 60_000, interval: 200 }).toBe(0);
    const ledger = await db.one<{ sum: number; calls: number }>(
      sql`select sum(nano)::bigint as sum, count(*)::int as calls from ledger where key_id = ${key_id}`,
    );
    expect(ledger?.sum).toBe((await account()).spent);
    const quarter = Math.floor(samples.length / 4);
    const memory = pids.map((_, n) => {
      const of = samples.map((sample) => sample[n] ?? 0);
      return { second_quarter_mb: median(of.slice(quarter, 2 * quarter)), last_quarter_mb: median(of.slice(-quarter)) };
    });
    printFigures('traffic', { seconds, answers: Object.fromEntries(answers), calls: ledger?.calls, memory });
    expect(answers.get('200') ?? 0).toBeGreaterThan(20);
    // A young process still compiles and fills its pools.
    for (const { second_quarter_mb, last_quarter_mb } of memory)
      expect(last_quarter_mb).toBeLessThan(second_quarter_mb * 1.1);
  },
  (seconds + 120) * 1000,
);

async function whole(n: number, body: object = {}): Promise<string> {
  const answered = await stage.call(n, body);
  await answered.text();
  return String(answered.status);
}

async function left(n: number): Promise<string> {
  const leaving = new AbortController();
  const { body } = await stage.call(n, { stream: true }, leaving.signal);
  await body?.getReader().read();
  leaving.abort();
  return 'left';
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function median(of: readonly number[]): number {
  return of.toSorted((one, other) => one - other)[Math.floor(of.length / 2)] ?? 0;
}
