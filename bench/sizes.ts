// What one replica of a role costs: processor time a call, memory and connections. Six processes of the service share one PostgreSQL, the
// clients and the agent share the machine with them. A whole measure stores its figures for docs/reference/sizes.md (npm run reference).
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openServices, type Services } from '../e2e/services.ts';
import { writeProject } from '../e2e/write-project.ts';
import { measured_roles, type Figures, type LoadFigures } from '../reference/sizes/figures.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { connectEngine } from '../server/src/assets/docker/client.ts';
import { installationId } from '../server/src/people/principals/find.ts';
import { removeLeftovers } from '../server/src/testing/engine-leftovers.ts';
import { load } from './load/load.ts';
import {
  parentOf,
  processorMilliseconds,
  treeProcessorMilliseconds,
  treeResidentMegabytes,
} from './load/process-tree.ts';
import type { KeptConnection } from './load/kept-connection.ts';
import type { Row } from './report/row.ts';
import { deployProject } from './service/deploy-project.ts';

const roles = ['api', 'api', 'api', 'ingress', 'ingress', 'ingress', 'worker', 'gateway'];
const replica_counts = [1, 2, 3];
const clients = 12;
const warm_ms = 1500;
/** After this time the pools have closed what they do not use. */
const rest_ms = 35_000;
const body = JSON.stringify({ said: 'hello' });

interface Kind {
  role: 'api' | 'ingress';
  call: string;
  send: (to: KeptConnection) => Promise<void>;
}

const kinds: Kind[] = [
  {
    role: 'ingress',
    call: 'POST /agents/sized/invoke',
    send: async (to) => await to.send('POST', '/agents/sized/invoke', `{"input":${body}}`),
  },
  {
    role: 'api',
    call: 'GET /api/v1/registry/agent/sized',
    send: async (to) => await to.send('GET', '/api/v1/registry/agent/sized'),
  },
];

export async function measure({ quick }: { quick: boolean }): Promise<Row[]> {
  const services = await openServices({ count: roles.length, roles, env: { LOG_LEVEL: 'error' }, fsync: true });
  const engine = connectEngine({ installation_id: await installationId(services.db) });
  try {
    const project = await writeProject({ directory: services.directory, team: 'default' }, 'sized');
    await deployProject(services.admin(0), project);
    const figures = await measureAll(services, quick ? 2000 : 8000, quick ? 0 : rest_ms);
    if (!quick) await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
    return rowsOf(figures);
  } finally {
    await services.stop();
    await removeLeftovers(engine);
  }
}

const file = resolve(import.meta.dirname, '../reference/sizes/figures.json');
const replicasOf = (role: string) => [...roles.keys()].filter((n) => roles[n] === role);

async function measureAll(services: Services, duration_ms: number, at_rest_ms: number): Promise<Figures> {
  const postgres = await postmasterOf(services);
  await sleep(at_rest_ms);
  const firsts = measured_roles.map((role) => [role, replicasOf(role)[0] ?? 0] as const);
  const rest_mb = await each(firsts, async (n) => await treeResidentMegabytes(services.pidOf(n)));
  const loads: LoadFigures[] = [];
  for (const kind of kinds)
    for (const replicas of replica_counts)
      loads.push(await measureLoad(services, { kind, replicas, postgres, duration_ms }));
  const load_mb = await each(firsts, async (n) => await treeResidentMegabytes(services.pidOf(n)));
  const connections = await each(firsts, async (n) => await connectionsOf(services, n));
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    clients,
    loads,
    roles: measured_roles.map((role) => ({
      role,
      rest_mb: rest_mb.get(role) ?? 0,
      load_mb: load_mb.get(role) ?? 0,
      ...(connections.get(role) ?? { open: 0, listening: 0 }),
    })),
  };
}

async function each<T>(firsts: readonly (readonly [string, number])[], read: (n: number) => Promise<T>) {
  const found = new Map<string, T>();
  for (const [role, n] of firsts) found.set(role, await read(n));
  return found;
}

async function measureLoad(
  services: Services,
  { kind, replicas, postgres, duration_ms }: { kind: Kind; replicas: number; postgres: number; duration_ms: number },
): Promise<LoadFigures> {
  const used = replicasOf(kind.role).slice(0, replicas);
  const to = {
    url: used.map((n) => services.urls[n] ?? ''),
    headers: { authorization: `Bearer ${services.token}` },
    clients,
    send: kind.send,
  };
  await load({ ...to, duration_ms: warm_ms });
  const processor = async () => {
    const own = await Promise.all(used.map(async (n) => await processorMilliseconds(services.pidOf(n))));
    return { service: own.reduce((sum, one) => sum + one, 0), postgres: await treeProcessorMilliseconds(postgres) };
  };
  const before = await processor();
  const { latencies, rate } = await load({ ...to, duration_ms });
  const after = await processor();
  return {
    role: kind.role,
    call: kind.call,
    replicas,
    calls_per_second: rate,
    service_ms: (after.service - before.service) / latencies.length,
    postgres_ms: (after.postgres - before.postgres) / latencies.length,
  };
}

/** The process that starts one of PostgreSQL's own for each connection. */
async function postmasterOf({ db }: Services): Promise<number> {
  const row = await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const postmaster = await parentOf(row?.pid ?? 0);
  if (postmaster === undefined) throw new Error('the processes of PostgreSQL are not on this machine');
  return postmaster;
}

/** What closes when the process is killed. The connections of all processes look alike to PostgreSQL. */
async function connectionsOf(services: Services, n: number): Promise<{ open: number; listening: number }> {
  const before = await openIn(services);
  await services.kill(n);
  await sleep(1000);
  const after = await openIn(services);
  return { open: before.open - after.open, listening: before.listening - after.listening };
}

async function openIn({ db }: Services): Promise<{ open: number; listening: number }> {
  const row = await db.one<{ open: number; listening: number }>(
    sql`select count(*)::int as open, (count(*) filter (where query ilike 'listen %'))::int as listening
      from pg_stat_activity where application_name = 'gantry' and pid <> pg_backend_pid()`,
  );
  if (row === undefined) throw new Error('PostgreSQL did not count its connections');
  return row;
}

function rowsOf({ loads, roles: of }: Figures): Row[] {
  const how = `${clients} clients, which share the cores with the service, PostgreSQL and the agent`;
  return [
    ...loads.flatMap(({ role, call, replicas, calls_per_second, service_ms, postgres_ms }): Row[] => [
      { measure: `${call}, ${replicas} × ${role}`, unit: 'requests/s', samples: [calls_per_second], how },
      { measure: '… processor time of the service', unit: 'ms', samples: [service_ms], how: 'for each call' },
      { measure: '… and of PostgreSQL', unit: 'ms', samples: [postgres_ms], how: 'for each call, with its own work' },
    ]),
    ...of.flatMap(({ role, rest_mb, load_mb, open }): Row[] => [
      { measure: `memory of a process, ${role}, at rest`, unit: 'MB', samples: [rest_mb], how: 'resident set' },
      { measure: '… after the load', unit: 'MB', samples: [load_mb], how: 'worker and gateway got no calls' },
      { measure: '… connections', unit: 'connections', samples: [open], how: 'what closes when it is killed' },
    ]),
  ];
}
