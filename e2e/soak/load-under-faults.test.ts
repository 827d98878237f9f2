// Clients call agents that wait on an upstream, all the time. Meanwhile services, ingresses and containers are killed, restarted, paused and
// redeployed. The journal of the upstream says what has begun. No call is lost, none is begun twice, and every end says what happened.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployProject } from '../../bench/service/deploy-project.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { connectEngine, type Engine } from '../../server/src/assets/docker/client.ts';
import { ownedBy } from '../../server/src/assets/docker/labels.ts';
import { installationId } from '../../server/src/people/principals/find.ts';
import { trafficSeconds } from '../../server/src/testing/config.ts';
import { removeLeftovers } from '../../server/src/testing/engine-leftovers.ts';
import { printFigures } from '../../server/src/testing/print-figures.ts';
import { openJournal, type Journal } from '../journal.ts';
import { judge, type Fault } from '../judge-load.ts';
import { callAllTheTime, kinds } from '../load-clients.ts';
import { openServices, type Services } from '../services.ts';
import { agentYaml, writeProject } from '../write-project.ts';

const clients = 16;
const agents = ['pair', 'single'];
const ingresses = [2, 3];
/** Between two faults. */
const calm_ms = 4000;

let journal: Journal;
let services: Services;
let engine: Engine;
const faults: Fault[] = [];
const under_way: Omit<Fault, 'until'>[] = [];

beforeAll(async () => {
  journal = await openJournal();
  services = await openServices({
    count: 4,
    roles: ['api,worker,gateway', 'api,worker,gateway', 'ingress', 'ingress'],
    env: { WARM_SECONDS: '0', SYNC_BUDGET_SECONDS: '2' },
  });
  // The agents wait on the journal, which no list has.
  await services.admin(0).call('org.set', { body: { agent_egress: 'open' } });
  engine = connectEngine({ installation_id: await installationId(services.db) });
  await Promise.all(agents.map(async (name) => await deploy(name, 1)));
  const members = ['first', 'second'].map((name, n) => ({ name, ref: `agents/${agents[n]}`, output: '/answer' }));
  const config = { strategy: 'sequential', agents: members };
  const params = { kind: 'orchestration' } as const;
  await services.admin(0).call('registry.create', { params, body: { name: 'chain', team: 'default', config } });
  await services.admin(0).call('orchestrations.deploy', { params: { name: 'chain' }, body: {} });
});
afterAll(async () => {
  await services?.stop();
  await journal?.stop();
  if (engine !== undefined) await removeLeftovers(engine);
});

const steps: Record<string, () => Promise<void>> = {
  'nothing at all': async () => await delay(calm_ms),
  'kill -9 of a service': async () => {
    const n = Math.random() < 0.5 ? 0 : 1;
    await noting({ what: 'kill -9 of a service' }, async () => await services.kill(n));
    await services.start(n);
  },
  'kill -9 of an ingress': async () => {
    const ingress = Math.random() < 0.5 ? 0 : 1;
    await killIngress(ingress);
    await services.start(ingresses[ingress] ?? 0);
  },
  'restart of one ingress after the other': async () => {
    for (const n of ingresses) {
      await services.terminate(n);
      await services.start(n);
    }
  },
  'pause of a container': async () => await pause(4000),
  'kill of a container': async () => await killContainer(),
  'redeploy of an agent': async () => await deploy(agents[Math.floor(Math.random() * agents.length)] ?? '', ++version),
  'pause that looks like a hang': async () => await pause(14_000),
  'kill of a container and of an ingress at once': async () => {
    const ingress = Math.random() < 0.5 ? 0 : 1;
    await Promise.all([killContainer(), killIngress(ingress)]);
    await services.start(ingresses[ingress] ?? 0);
  },
  'kill of a container and of a service at once': async () => {
    const n = Math.random() < 0.5 ? 0 : 1;
    await Promise.all([killContainer(), services.kill(n)]);
    await services.start(n);
  },
  'kill of a container during a redeploy': async () => {
    await Promise.all([killContainer(), steps['redeploy of an agent']?.()]);
  },
};
let version = 1;

const seconds = trafficSeconds();

test(
  'under kills, pauses and redeploys no call is lost, none is begun twice, and every reason is true',
  async () => {
    const over = new AbortController();
    const target = {
      urls: ingresses.map((n) => services.urls[n] ?? ''),
      token: services.token,
      agents,
      orchestration: 'chain',
    };
    const calling = callAllTheTime(target, clients, over.signal);
    const until = Date.now() + seconds * 1000;
    const done: Record<string, number> = {};
    do
      for (const [what, step] of Object.entries(steps)) {
        await delay(calm_ms);
        await step();
        done[what] = (done[what] ?? 0) + 1;
        await untilServing();
        faults.push(...under_way.splice(0).map((fault) => ({ ...fault, until: Date.now() })));
      }
    while (Date.now() < until);
    over.abort();
    const ended = await calling;

    const open = async () => await services.db.all(sql`select id, created_at from invocation where state = 'running'`);
    await expect.poll(open, { timeout: 60_000 }).toEqual([]);
    const { lost, twice, blamed } = judge(ended, journal.begun, faults);
    const counts = (of: (one: (typeof ended)[number]) => string) =>
      Object.fromEntries([...Map.groupBy(ended, of)].map(([key, some]) => [key, some.length]));
    printFigures('load under faults', {
      steps: done,
      calls: counts(({ kind }) => kind),
      ends: counts(({ end, reason }) => (reason === undefined ? end : `${end}: ${reason}`)),
      runs_begun: journal.begun.length,
      lost: lost.length,
      twice: twice.length,
      blamed_wrongly: blamed.length,
    });
    expect({ lost, twice, blamed }).toEqual({ lost: [], twice: [], blamed: [] });
    const answered = new Set(ended.filter(({ end }) => end === 'answered').map(({ kind }) => kind));
    expect([...answered].toSorted()).toEqual(kinds.toSorted());
    // Else nothing was blamed.
    expect(ended.filter(({ end }) => end === 'interrupted').length).toBeGreaterThan(0);
  },
  (seconds + 300) * 1000,
);

async function noting(fault: Omit<Fault, 'from' | 'to' | 'until'>, act: () => Promise<unknown>): Promise<void> {
  const from = Date.now();
  await act();
  under_way.push({ ...fault, from, to: Date.now() });
}

async function killIngress(ingress: number): Promise<void> {
  await noting({ what: 'kill -9 of an ingress', ingress }, async () => await services.kill(ingresses[ingress] ?? 0));
}

/** The one that has begun the most calls of late. */
async function busyContainer(): Promise<string> {
  const running = await engine.docker.listContainers({ filters: ownedBy(engine, 'agent') });
  const begun = (id: string) =>
    journal.begun.filter(({ container, at }) => id.startsWith(container) && at > Date.now() - 1000).length;
  return running.map(({ Id }) => Id).toSorted((one, other) => begun(other) - begun(one))[0] ?? '';
}

async function killContainer(): Promise<void> {
  const id = await busyContainer();
  await noting(
    { what: 'kill of a container', container: id.slice(0, 12) },
    async () => void (await engine.docker.getContainer(id).kill()),
  );
}

/** A container that is paused for longer than a hang is killed by the service. */
async function pause(ms: number): Promise<void> {
  const id = await busyContainer();
  const container = engine.docker.getContainer(id);
  const mayDie = ms > 8000 && { container: id.slice(0, 12) };
  await noting({ what: 'pause of a container', ...mayDie }, async () => {
    await container.pause();
    await delay(ms);
    const { State } = await container.inspect();
    if (State.Paused) await container.unpause();
  });
}

/** The next fault finds containers that take calls. A crash makes the next restart wait. */
async function untilServing(): Promise<void> {
  await services.db.run(sql`update instance set failures = 0, next_start_at = null`);
  const states = async () =>
    await Promise.all(
      agents.map(async (name) => (await services.admin(0).call('agents.status', { params: { name } })).state),
    );
  await expect.poll(states, { timeout: 60_000, interval: 200 }).toEqual(agents.map(() => 'serving'));
}

async function deploy(name: string, n: number): Promise<void> {
  const scaling = name === 'pair' ? '  scaling: {min: 2, max: 2}\n' : '';
  const more = `deploy:\n  env_vars: {JOURNAL: '${journal.address}'}\n${scaling}`;
  const yaml = agentYaml(name, more).replace('team: ml', 'team: default').replace('1.0.0', `1.0.${n}`);
  const agent = await readFile(join(import.meta.dirname, '../agents/waiter.py'), 'utf8');
  const project = await writeProject(services, name, { 'agent.yaml': yaml, 'agent.py': agent });
  // Under load the replaced containers drain while the next faults come.
  await deployProject(services.admin(0), project, { untilDrained: false });
}
