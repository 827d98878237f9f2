// The wait of a quiet user beside a flood of another one: the same request, alone and during the flood, in turns. Both are one client on
// the machine of the service, so the ratio counts. The flood comes from a thread of its own and never pauses.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createClient } from '../contract/src/client/client.ts';
import { databaseOf } from '../e2e/database-of.ts';
import { environment } from '../e2e/config.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { storeAgent } from '../server/src/testing/stored/stored-agent.ts';
import { deployProject } from './service/deploy-project.ts';
import { floodsOf, type Flood } from './fairness/floods.ts';
import { bodyOf } from './gateway/way.ts';
import { startProgram } from './gateway/program.ts';
import { keptConnection, type KeptConnection } from './load/kept-connection.ts';
import type { Row } from './report/row.ts';
import { quantile, repeat, timed } from './load/sampling.ts';
import { openMeasured, type Measured } from './service/service.ts';

const agents = 30;
const warm_ms = 1500;

/** A quiet user's median may become so much longer. */
const most_times = 3;

const quiet: Record<string, (to: KeptConnection, key: string) => Promise<void>> = {
  'a model call': async (to, key) =>
    await to.send('POST', '/v1/chat/completions', bodyOf('m'), { authorization: `Bearer ${key}` }),
  'GET /api/v1/home': async (to) => await to.send('GET', '/api/v1/home'),
  'an invoke': async (to) =>
    await to.send('POST', '/agents/greeter/invoke', JSON.stringify({ input: { message: 'hi, I am Ada' } })),
};

export async function measure({ quick }: { quick: boolean }): Promise<Row[]> {
  const [rounds, requests] = quick ? [1, 12] : [2, 20];
  await using open = new AsyncDisposableStack();
  const port = await freePort();
  const measured = await openMeasured({ OUTBOUND_PRIVATE_HOSTS: `127.0.0.1:${port}` });
  open.defer(async () => await measured.close());
  const { installation } = measured;
  const upstream = await startProgram({
    argv: [process.execPath, join(import.meta.dirname, 'gateway/upstream.ts'), String(port)],
    env: environment(),
    port,
    log_file: join(installation.directory, 'upstream.log'),
  });
  open.defer(async () => await upstream.stop());
  const { flooding, waiting } = await fill(measured, upstream.url);

  await using connection = keptConnection(installation.url, { authorization: `Bearer ${waiting.token}` });
  const sample = async (): Promise<Record<string, number[]>> => {
    const taken = Object.fromEntries(Object.keys(quiet).map((name): [string, number[]] => [name, []]));
    for (let n = 0; n < requests; n++)
      for (const [name, send] of Object.entries(quiet))
        taken[name]?.push(await timed(async () => await send(connection, waiting.key)));
    return taken;
  };
  await sample(); // a warm-up
  const rows: Row[] = [];
  for (const flood of await floodsOf(flooding)) {
    process.stderr.write(`… fairness: ${flood.name}\n`);
    const taken = await repeat(rounds, async () => {
      const alone = await sample();
      await using flooded = await begin(installation.url, flood);
      const during = await sample();
      return { alone, during, answers: await flooded.end() };
    });
    const all = (which: 'alone' | 'during', name: string) => taken.flatMap((one) => one[which][name] ?? []);
    for (const name of Object.keys(quiet))
      rows.push({
        measure: `${name} beside ${flood.name}`,
        unit: 'ms',
        samples: all('during', name),
        bare: all('alone', name),
        at_most: most_times,
        how: `bare: alone; the flood was answered ${answersOf(taken.map(({ answers }) => answers))}`,
      });
    process.stderr.write(
      `${rows
        .slice(-2)
        .map(
          (row) =>
            `    ${row.measure}: ${quantile(row.bare ?? [], 0.5).toFixed(1)} → ${quantile(row.samples, 0.5).toFixed(1)} ms; ${row.how}`,
        )
        .join('\n')}\n`,
    );
  }
  return rows;
}

interface Flooded extends AsyncDisposable {
  /** The numbers of its answers, by status. */
  end(): Promise<Record<string, number>>;
}

async function begin(url: string, flood: Flood): Promise<Flooded> {
  const worker = new Worker(new URL('./fairness/flood.ts', import.meta.url), { workerData: { url, ...flood } });
  await once(worker, 'online');
  await sleep(warm_ms);
  let answers: Record<string, number> | undefined;
  const end = async () => {
    if (answers !== undefined) return answers;
    const ended = once(worker, 'exit');
    worker.once('message', (said: Record<string, number>) => (answers = said));
    worker.postMessage('end');
    await ended;
    // The service finishes what it has begun.
    await sleep(warm_ms);
    return (answers ??= {});
  };
  return { end, [Symbol.asyncDispose]: async () => void (await end()) };
}

function answersOf(all: readonly Record<string, number>[]): string {
  const sums = new Map<string, number>();
  for (const [status, count] of all.flatMap((one) => Object.entries(one)))
    sums.set(status, (sums.get(status) ?? 0) + count);
  return [...sums].map(([status, count]) => `${count} × ${status}`).join(', ');
}

export interface Person {
  email: string;
  password: string;
  token: string;
  key: string;
}

interface Pair {
  flooding: Person;
  waiting: Person;
}

/** Two users of one team with agents, a model and a key each, and one deployed agent. */
async function fill({ installation, client: admin }: Measured, upstream: string): Promise<Pair> {
  await admin.call('teams.create', { body: { name: 'ml' } });
  const config = {
    provider: 'bench',
    model: 'm',
    base_url: `${upstream}/v1`,
    price_usd_per_million: { input: '1', output: '1' },
  };
  await admin.call('registry.create', { params: { kind: 'model' }, body: { name: 'm', team: 'ml', config } });
  const person = async (name: string): Promise<Person> => {
    await installation.person(name);
    const email = `${name}@example.com`;
    await admin.call('teams.add_member', {
      params: { team: 'ml' },
      body: { principal: `user:${email}`, role: 'contributor' },
    });
    const token = await installation.token(name);
    const { key = '' } = await createClient({ base_url: installation.url, token: () => token }).call('keys.create', {
      body: {},
    });
    return { email, password: `password of ${name}`, token, key };
  };
  await deployProject(admin, await installation.project('langgraph-greeter', 'greeter', { team: 'ml' }));
  const people = { flooding: await person('flooding'), waiting: await person('waiting') };
  const db = await databaseOf(installation);
  try {
    for (let n = 0; n < agents; n++) await storeAgent({ db }, people.waiting.email, { name: `agent-${n}` });
  } finally {
    await db.close();
  }
  return people;
}
