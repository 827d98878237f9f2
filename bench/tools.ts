// Calls of tools through our door beside others, in turns, on one MCP server. All of them, the server, PostgreSQL and the clients share the cores, so the ratios
// count. Ours has a rule, a price under a budget and the audit of calls, and commits each call; the others have none of it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../e2e/config.ts';
import { openToolServices } from '../e2e/tool-services.ts';
import type { Database } from '../server/src/ground/database/database.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { startProgram } from './gateway/program.ts';
import { load, type Load } from './load/load.ts';
import { treeProcessorMilliseconds } from './load/process-tree.ts';
import { interleaved, quantile } from './load/sampling.ts';
import type { Row } from './report/row.ts';
import { startFastmcp, startLitellm, type ToolPeer } from './tools/peers.ts';
import { openSession, type Session } from './tools/session.ts';
import { answer, slow_ms, type ToolName } from './tools/tools.ts';
import type { ToolWay } from './tools/way.ts';
import { withoutAudit } from './tools/without-audit.ts';

interface Extent {
  rounds: number;
  round_ms: number;
  audit_rounds: number;
  audit_round_ms: number;
}
const whole: Extent = { rounds: 4, round_ms: 2000, audit_rounds: 3, audit_round_ms: 12_000 };
const quickly: Extent = { rounds: 2, round_ms: 1500, audit_rounds: 1, audit_round_ms: 6000 };

interface Kind {
  clients: number;
  tool: ToolName;
}
const kinds = {
  one: { clients: 1, tool: 'fast' },
  slow_16: { clients: 16, tool: 'slow' },
  calls_16: { clients: 16, tool: 'fast' },
} satisfies Record<string, Kind>;
type KindName = keyof typeof kinds;
const kindNames = Object.keys(kinds) as KindName[]; // the keys of that very object
const most_clients = 16;

interface Taken extends Load {
  /** Milliseconds of processor time a call, of the gateway. */
  processor: number;
}

interface OpenWay extends ToolWay {
  name: string;
  sessions: readonly Session[];
}

export async function measure({ quick }: { quick: boolean }): Promise<Row[]> {
  const extent = quick ? quickly : whole;
  await using open = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'gantry-bench-'));
  open.defer(async () => await rm(directory, { recursive: true, force: true }));
  const port = await freePort();
  const server = await startProgram({
    argv: [process.execPath, join(import.meta.dirname, 'tools/upstream.ts'), String(port)],
    env: environment(),
    port,
    log_file: join(directory, 'server.log'),
  });
  open.defer(async () => await server.stop());
  const upstream = `${server.url}/mcp`;
  const services = await openToolServices({
    config: {
      url: upstream,
      rules: [
        { name: 'near', allow: 'args.days + 0.0 <= 14.0 && args.city != ""', because: 'The forecast has 14 days.' },
      ],
      prices: [{ tools: ['fast', 'slow'], usd: '0.0001' }],
    },
    daily_usd: '100000',
    at_once: 64,
    fsync: true,
  });
  open.defer(async () => await services.stop());
  const ours: ToolWay = {
    url: services.cities[0] ?? '',
    headers: async () => await services.openRun(),
    pids: [services.pidOf(0)],
  };
  const direct: ToolWay = { url: upstream, headers: async () => await Promise.resolve({}), pids: [server.pid] };
  const peers = {
    fastmcp: await started('fastmcp', startFastmcp({ directory, upstream })),
    litellm: await started('LiteLLM', startLitellm({ directory, upstream })),
  };
  for (const peer of Object.values(peers)) if ('way' in peer) open.defer(async () => await peer.stop());

  const ways: Record<string, OpenWay> = {
    direct: await opened('the server itself', direct),
    ours: await opened('ours', ours),
  };
  for (const [key, peer] of Object.entries(peers)) if ('way' in peer) ways[key] = await opened(peer.name, peer.way);
  const taken = await takeAll(ways, extent);
  const audit = await takeAudit(ways['ours'] ?? never(), { db: services.db, extent });
  return [
    ...comparedRows(taken, { ways, extent }),
    ...auditRows(audit, extent),
    ...Object.values(peers).flatMap((peer) => ('way' in peer ? [] : [peer])),
  ];
}

/** A row with the reason if it does not start. */
async function started(name: string, starting: Promise<ToolPeer>): Promise<ToolPeer | Row> {
  process.stderr.write(`… tools: ${name}\n`);
  try {
    return await starting;
  } catch (error) {
    const how = `it did not start: ${error instanceof Error ? error.message : String(error)}`;
    return { measure: `calls of tools: ${name}`, unit: 'requests/s', samples: [], how: how.replaceAll(/\s+/g, ' ') };
  }
}

async function opened(name: string, way: ToolWay): Promise<OpenWay> {
  const open = async () => await openSession(way.url, await way.headers());
  return { ...way, name, sessions: await Promise.all(Array.from({ length: most_clients }, open)) };
}

type AllTaken = Record<KindName, Record<string, Taken[]>>;

async function takeAll(ways: Record<string, OpenWay>, { rounds, round_ms }: Extent): Promise<AllTaken> {
  const works = Object.fromEntries(
    Object.entries(ways).flatMap(([name, way]) =>
      kindNames.map((kind) => [`${kind} ${name}`, async () => [await take(way, kinds[kind], round_ms)]] as const),
    ),
  );
  const flat = await interleaved<string, Taken>(rounds, works);
  const of = (kind: KindName) =>
    Object.fromEntries(Object.keys(ways).map((name) => [name, flat[`${kind} ${name}`] ?? []]));
  return Object.fromEntries(kindNames.map((kind) => [kind, of(kind)])) as AllTaken; // every kind has one
}

async function take({ url, sessions, pids }: OpenWay, { clients, tool }: Kind, duration_ms: number): Promise<Taken> {
  const { origin, pathname } = new URL(url);
  const body = sessions[0]?.bodyOf(tool) ?? '';
  const processor = async () =>
    (await Promise.all(pids.map(treeProcessorMilliseconds))).reduce((sum, one) => sum + one, 0);
  const before = await processor();
  const loaded = await load({
    url: origin,
    headers: (client) => sessions[client]?.headers ?? {},
    clients,
    duration_ms,
    send: async (to) => {
      const { status, text } = await to.ask('POST', pathname, body);
      if (!text.includes(answer)) throw new Error(`${url} answered ${status}: ${text}`);
    },
  });
  return { ...loaded, processor: ((await processor()) - before) / loaded.latencies.length };
}

/** Long rounds, because entries are written every five seconds. */
async function takeAudit(
  ours: OpenWay,
  { db, extent: { audit_rounds, audit_round_ms } }: { db: Database; extent: Extent },
): Promise<Record<'with' | 'without', Taken[]>> {
  const taken = async () => {
    const one = await take(ours, kinds.calls_16, audit_round_ms);
    await allRecorded(db);
    return [one];
  };
  return await interleaved<'with' | 'without', Taken>(audit_rounds, {
    with: taken,
    without: async () => await withoutAudit(db, taken),
  });
}

async function allRecorded(db: Database): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const left = async () => await db.one(sql`select 1 from tool_call where not is_recorded limit 1`);
  while ((await left()) !== undefined) await sleep(100, undefined, { signal });
}

function comparedRows(taken: AllTaken, { ways, extent }: { ways: Record<string, OpenWay>; extent: Extent }): Row[] {
  const by = `${extent.rounds} rounds of ${extent.round_ms / 1000} s in turns`;
  const gateways = Object.entries(ways).filter(([name]) => name !== 'direct');
  const of = (kind: KindName, field: 'rate' | 'processor', name: string) =>
    (taken[kind][name] ?? []).map((one) => one[field]);
  const added = (kind: KindName, share: number, name: string) =>
    (taken[kind][name] ?? []).map(({ latencies }, round) => {
      const direct = taken[kind]['direct']?.[round]?.latencies ?? [];
      return quantile(latencies, share) - quantile(direct, share);
    });
  const others = (rowOf: (name: string) => Omit<Row, 'measure' | 'how'>): Row[] =>
    gateways
      .filter(([name]) => name !== 'ours')
      .map(([name, way]) => ({ measure: `… ${way.name}`, how: '', ...rowOf(name) }));
  const addedRows = (kind: KindName, share: number, row: Pick<Row, 'measure' | 'how' | 'at_most'>): Row[] => [
    { ...row, unit: 'ms', samples: added(kind, share, 'ours') },
    ...others((name) => ({ unit: 'ms', samples: added(kind, share, name) })),
  ];
  const later = `over the server itself in the same round, which answers after ${slow_ms} ms; ${by}`;
  const rates: Row[] = [
    {
      measure: 'call of a tool, 16 clients',
      unit: 'requests/s',
      samples: of('calls_16', 'rate', 'ours'),
      bare: of('calls_16', 'rate', 'direct'),
      how: `bare: the server itself; ${by}`,
    },
    ...others((name) => ({
      unit: 'requests/s',
      samples: of('calls_16', 'rate', name),
      bare: of('calls_16', 'rate', 'direct'),
    })),
    {
      measure: 'call of a tool, processor',
      unit: 'ms',
      samples: of('calls_16', 'processor', 'ours'),
      bare: of('calls_16', 'processor', 'direct'),
      how: 'a call at 16 clients, of the gateway and all that it starts, without PostgreSQL; bare: of the server',
    },
    ...others((name) => ({ unit: 'ms', samples: of('calls_16', 'processor', name) })),
  ];
  return [
    ...addedRows('one', 0.5, {
      measure: 'call of a tool, added p50, 1 client',
      at_most: 1,
      how: `over the server itself in the same round, which answers at once; ${by}`,
    }),
    ...addedRows('one', 0.99, { measure: 'call of a tool, added p99, 1 client', at_most: 5, how: 'likewise' }),
    ...addedRows('slow_16', 0.5, { measure: 'call of a tool, added p50, 16 clients', at_most: 1, how: later }),
    ...addedRows('slow_16', 0.99, { measure: 'call of a tool, added p99, 16 clients', at_most: 5, how: 'likewise' }),
    ...rates,
  ];
}

function auditRows(taken: Record<'with' | 'without', Taken[]>, { audit_rounds, audit_round_ms }: Extent): Row[] {
  const rates = (of: Taken[]) => of.map(({ rate }) => rate);
  return [
    {
      measure: 'call of a tool, with the audit of calls',
      unit: 'requests/s',
      samples: rates(taken.with),
      bare: rates(taken.without),
      at_least: 0.95,
      how: `16 clients; bare: the rows of calls get into no entry; ${audit_rounds} rounds of ${audit_round_ms / 1000} s in turns`,
    },
  ];
}

function never(): never {
  throw new Error('it is opened first');
}
