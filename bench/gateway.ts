// Our model gateway beside others, in turns, on the same mock of a model. All of them, the mock, PostgreSQL and the clients share the cores,
// so the ratios count. Ours has keys and budgets and commits each call; Portkey and nginx have neither.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../e2e/config.ts';
import { startEmbedded } from '../server/src/ground/database/embedded.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { withSlowCommit } from './gateway/slow-commit.ts';
import { startOurs, wayOf, type Ours } from './gateway/ours.ts';
import { overshoot, type Spent } from './gateway/overshoot.ts';
import { startLitellm, startNginx, startPortkey, type Peer } from './gateway/peers.ts';
import { startProgram } from './gateway/program.ts';
import { bodyOf, type ModelName, type Way } from './gateway/way.ts';
import { load, type Load } from './load/load.ts';
import { treeProcessorMilliseconds, treeResidentMegabytes } from './load/process-tree.ts';
import type { Row } from './report/row.ts';
import { interleaved, quantile, repeat } from './load/sampling.ts';

const budget_usd = '0.05';
const rest_ms = 10_000;

interface Extent {
  rounds: number;
  round_ms: number;
  overshoots: number;
}
const whole: Extent = { rounds: 4, round_ms: 1500, overshoots: 3 };
const quickly: Extent = { rounds: 2, round_ms: 1000, overshoots: 1 };

interface Kind {
  clients: number;
  model: ModelName;
  stream: boolean;
}

const kinds = {
  calls_16: { clients: 16, model: 'm', stream: false },
  calls_64: { clients: 64, model: 'm', stream: false },
  slow_16: { clients: 16, model: 'slow', stream: false },
  streams_16: { clients: 16, model: 'm', stream: true },
} satisfies Record<string, Kind>;
type KindName = keyof typeof kinds;
const kindNames = Object.keys(kinds) as KindName[]; // the keys of that very object

interface Taken extends Load {
  /** Milliseconds of processor time a call, of the gateway and of PostgreSQL. */
  processor: number;
  postgres: number;
  /** Resident megabytes at the end of the load. */
  resident: number;
}

export async function measure({ quick }: { quick: boolean }): Promise<Row[]> {
  const extent = quick ? quickly : whole;
  await using open = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'gantry-bench-'));
  open.defer(async () => await rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o711);
  const postgres = await startEmbedded(directory);
  open.defer(async () => await postgres.stop());
  const port = await freePort();
  const mock = await startProgram({
    argv: [process.execPath, join(import.meta.dirname, 'gateway/upstream.ts'), String(port)],
    env: environment(),
    port,
    log_file: join(directory, 'mock.log'),
  });
  open.defer(async () => await mock.stop());
  const place = { directory, postgres, upstream: mock.url };

  const limited = { count: 2 * extent.overshoots, daily_usd: budget_usd };
  const ours = await startOurs({ ...place, limited });
  open.defer(async () => await ours.close());
  const [nginx, portkey, litellm] = [
    await started('nginx', startNginx(place)),
    await started('Portkey', startPortkey(place)),
    await started('LiteLLM', startLitellm(place)),
  ];
  for (const peer of [nginx, portkey, litellm]) if (isPeer(peer)) open.defer(async () => await peer.stop());

  const taking = { extent, postgres_pid: await postgresPid(directory) };
  const direct: Way = {
    urls: [mock.url],
    path: (model) => (model === 'm' ? '/v1/chat/completions' : '/slow/v1/chat/completions'),
    headers: () => ({}),
    pids: [mock.pid],
  };
  const [first] = ours.replicas;
  const ways: Record<string, Way> = {
    direct,
    ours: wayOf([first], ours.key),
    two: wayOf(ours.replicas, ours.key),
    ...(isPeer(nginx) && { nginx: nginx.way }),
    ...(isPeer(portkey) && { portkey: portkey.way }),
    ...(isPeer(litellm) && { litellm: litellm.way }),
  };
  const taken = await takeAll(ways, taking);
  await sleep(rest_ms);
  const rested = async (way: Way) => await residentOf(way);
  const after = Object.fromEntries(
    await Promise.all(Object.entries(ways).map(async ([name, way]) => [name, await rested(way)] as const)),
  );
  const names = { direct: 'the mock itself', two: 'ours, two replicas', ...namesOf({ nginx, portkey, litellm }) };
  return [
    ...comparedRows({ taken, after, names, extent }),
    ...(await overshootRows(ours, { litellm, mock: mock.url, extent })),
    ...(await keyRows(ours, taking)),
    ...(await withSlowCommit(ours.db, async () =>
      slowCommitRows(await takeAll({ direct, ours: wayOf([first], ours.key) }, taking)),
    )),
    ...[nginx, portkey, litellm].flatMap((peer) => (isPeer(peer) ? [] : [peer])),
  ];
}

/** A row with the reason if it does not start. */
async function started(name: string, starting: Promise<Peer>): Promise<Peer | Row> {
  process.stderr.write(`… gateway: ${name}\n`);
  try {
    return await starting;
  } catch (error) {
    const how = `it did not start: ${error instanceof Error ? error.message : String(error)}`;
    return { measure: `model gateway: ${name}`, unit: 'requests/s', samples: [], how: how.replaceAll(/\s+/g, ' ') };
  }
}

const isPeer = (one: Peer | Row): one is Peer => 'way' in one;

function namesOf(peers: Record<string, Peer | Row>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(peers).flatMap(([key, peer]) => (isPeer(peer) ? [[key, nameOf(peer)]] : [])),
  );
}

const nameOf = ({ name, note }: Peer) => (note === undefined ? name : `${name} (${note})`);

interface Taking {
  extent: Extent;
  postgres_pid: number;
}

type AllTaken = Record<KindName, Record<string, Taken[]>>;

async function takeAll(ways: Record<string, Way>, taking: Taking): Promise<AllTaken> {
  const works = Object.fromEntries(
    Object.entries(ways).flatMap(([name, way]) =>
      kindNames.map((kind) => [`${kind} ${name}`, async () => [await take(way, kinds[kind], taking)]] as const),
    ),
  );
  const flat = await interleaved<string, Taken>(taking.extent.rounds, works);
  const of = (kind: KindName) =>
    Object.fromEntries(Object.keys(ways).map((name) => [name, flat[`${kind} ${name}`] ?? []]));
  return Object.fromEntries(kindNames.map((kind) => [kind, of(kind)])) as AllTaken; // every kind has one
}

async function take(
  way: Way,
  { clients, model, stream }: Kind,
  { extent: { round_ms }, postgres_pid }: Taking,
  keyOf?: () => string,
): Promise<Taken> {
  const body = bodyOf(model, { stream });
  const processor = async () => {
    const all = await Promise.all([...way.pids, postgres_pid].map(treeProcessorMilliseconds));
    const database = all.at(-1) ?? 0;
    return { database, gateway: all.reduce((sum, one) => sum + one, 0) - database };
  };
  const before = await processor();
  const loaded = await load({
    url: way.urls,
    headers: way.headers(model),
    clients,
    duration_ms: round_ms,
    send: async (to) =>
      await to.send('POST', way.path(model), body, keyOf === undefined ? {} : { authorization: `Bearer ${keyOf()}` }),
  });
  const spent = await processor();
  const calls = loaded.latencies.length;
  return {
    ...loaded,
    processor: (spent.gateway - before.gateway) / calls,
    postgres: (spent.database - before.database) / calls,
    resident: await residentOf(way),
  };
}

/** The largest replica. */
async function residentOf({ pids }: Way): Promise<number> {
  return Math.max(...(await Promise.all(pids.map(treeResidentMegabytes))));
}

interface Compared {
  taken: AllTaken;
  after: Record<string, number>;
  names: Record<string, string>;
  extent: Extent;
}

function comparedRows({ taken, after, names, extent: { rounds, round_ms } }: Compared): Row[] {
  const how = `bare: Portkey; ${rounds} rounds of ${round_ms / 1000} s in turns`;
  const rowsOf = (
    measure: string,
    unit: Row['unit'],
    {
      of,
      goal = {},
      how: by,
      others = Object.keys(names),
    }: {
      of: (name: string) => number[];
      goal?: Pick<Row, 'at_least' | 'at_most'>;
      how: string;
      others?: string[];
    },
  ): Row[] => {
    const bare = names['portkey'] === undefined ? {} : { bare: of('portkey'), ...goal };
    return [
      { measure, unit, samples: of('ours'), ...bare, how: by },
      ...others.map((name): Row => ({ measure: `… ${names[name] ?? name}`, unit, samples: of(name), how: '' })),
    ];
  };
  const rates = (kind: KindName) => (name: string) => (taken[kind][name] ?? []).map(({ rate }) => rate);
  const added = (share: number) => (name: string) =>
    (taken.slow_16[name] ?? []).map(({ latencies }, round) => {
      const direct = taken.slow_16['direct']?.[round]?.latencies ?? [];
      return quantile(latencies, share) - quantile(direct, share);
    });
  const field = (kind: KindName, of: 'processor' | 'postgres' | 'resident') => (name: string) =>
    (taken[kind][name] ?? []).map((one) => one[of]);
  const gateways = Object.keys(names).filter((name) => name !== 'direct');
  return [
    ...rowsOf('model gateway, 16 clients', 'requests/s', { of: rates('calls_16'), goal: { at_least: 2.5 }, how }),
    ...rowsOf('model gateway, 64 clients', 'requests/s', { of: rates('calls_64'), goal: { at_least: 2.5 }, how }),
    ...rowsOf('model gateway, added p50', 'ms', {
      of: added(0.5),
      goal: { at_most: 0.45 },
      how: 'over the mock itself in the same round; 16 clients, and the mock answers after 50 ms',
      others: gateways,
    }),
    ...rowsOf('model gateway, added p99', 'ms', { of: added(0.99), how: 'likewise', others: gateways }),
    ...rowsOf('model gateway, streams of 50 chunks', 'streams/s', {
      of: rates('streams_16'),
      goal: { at_least: 3 },
      how: `16 clients; ${how}`,
    }),
    ...rowsOf('model gateway, processor', 'ms', {
      of: field('calls_64', 'processor'),
      how: 'a call at 64 clients, of the gateway and all that it starts, without PostgreSQL',
    }),
    { measure: '… PostgreSQL for ours', unit: 'ms', samples: field('calls_64', 'postgres')('ours'), how: '' },
    {
      measure: 'model gateway, memory under load',
      unit: 'MB',
      samples: kindNames.flatMap((kind) => field(kind, 'resident')('ours')),
      at_most: 150,
      how: 'resident set, at the end of each round, without PostgreSQL',
    },
    ...gateways.map((name): Row => {
      const samples = kindNames.flatMap((kind) => field(kind, 'resident')(name));
      return { measure: `… ${names[name] ?? name}`, unit: 'MB', samples, how: 'the larger process of two replicas' };
    }),
    ...['ours', ...gateways].map((name): Row => ({
      measure: `model gateway, memory after it: ${names[name] ?? name}`,
      unit: 'MB',
      samples: [after[name] ?? 0],
      how: `after ${rest_ms / 1000} s of rest`,
    })),
  ];
}

async function overshootRows(
  ours: Ours,
  { litellm, mock, extent }: { litellm: Peer | Row; mock: string; extent: Extent },
): Promise<Row[]> {
  const limit_nano = Number(budget_usd) * 1e9;
  const rowsOf = (name: string, spent: Spent[], goal: Pick<Row, 'at_most'> = {}): Row[] => [
    {
      measure: `model gateway, overshoot of a budget: ${name}`,
      unit: '%',
      samples: spent.map(({ nano }) => Math.max(0, (nano / limit_nano - 1) * 100)),
      ...goal,
      how: `64 clients spend $${budget_usd} until refused; by the calls that the mock counts`,
    },
    {
      measure: '… of the budget used',
      unit: '%',
      samples: spent.map(({ nano }) => (nano / limit_nano) * 100),
      ...('at_most' in goal && { at_least: 99 }),
      how: 'when all clients are refused',
    },
  ];
  const rows: Row[] = [];
  const keys = [...ours.limited];
  for (const count of [1, 2]) {
    const spent = await repeat(
      extent.overshoots,
      async () => await overshoot(wayOf(ours.replicas.slice(0, count), keys.pop() ?? ''), mock),
    );
    rows.push(...rowsOf(count === 1 ? 'ours' : 'ours, two replicas', spent, { at_most: 0 }));
  }
  if (!isPeer(litellm)) return rows;
  const { limitedKey, way, name } = litellm;
  if (limitedKey === undefined) return rows;
  const spent = await repeat(extent.overshoots, async () => {
    const key = await limitedKey(budget_usd);
    return await overshoot({ ...way, headers: () => ({ authorization: `Bearer ${key}` }) }, mock);
  });
  return [...rows, ...rowsOf(name, spent)];
}

async function keyRows(ours: Ours, taking: Taking): Promise<Row[]> {
  const most = 100_000;
  process.stderr.write(`… gateway: ${most} keys\n`);
  const keys = [ours.key, ...(await ours.fillKeys(most - 1))];
  const way = wayOf(ours.replicas.slice(0, 1), ours.key);
  const among = (count: number) => async () => [
    await take(way, kinds.calls_64, taking, () => keys[Math.floor(Math.random() * count)] ?? ''),
  ];
  const taken = await interleaved<string, Taken>(taking.extent.rounds, {
    '1 key': among(1),
    '1,000 keys': among(1000),
    '100,000 keys': among(most),
  });
  return Object.entries(taken).flatMap(([name, some]): Row[] => [
    {
      measure: `model gateway, 64 clients, ${name}`,
      unit: 'requests/s',
      samples: some.map(({ rate }) => rate),
      how: 'each call with a random one of them; the first call of a key reads what decides',
    },
    { measure: '… memory', unit: 'MB', samples: some.map(({ resident }) => resident), how: '' },
  ]);
}

function slowCommitRows({ calls_64, calls_16, slow_16 }: AllTaken): Row[] {
  const how = 'a trigger holds each commit of the ledger, and its locks, for 5 ms';
  const rates = (of: Record<string, Taken[]>) => (of['ours'] ?? []).map(({ rate }) => rate);
  return [
    { measure: 'model gateway, commits of 5 ms, 16 clients', unit: 'requests/s', samples: rates(calls_16), how },
    { measure: '… 64 clients', unit: 'requests/s', samples: rates(calls_64), how },
    {
      measure: '… added p50',
      unit: 'ms',
      samples: (slow_16['ours'] ?? []).map(
        ({ latencies }, round) => quantile(latencies, 0.5) - quantile(slow_16['direct']?.[round]?.latencies ?? [], 0.5),
      ),
      how: '16 clients, and the mock answers after 50 ms',
    },
  ];
}

async function postgresPid(directory: string): Promise<number> {
  return Number((await readFile(join(directory, 'postgresql/data/postmaster.pid'), 'utf8')).split('\n')[0]);
}
