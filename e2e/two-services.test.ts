// Two processes of the service keep the same agents, and one of them is killed with -9 at a random moment, again and again. Each has an
// engine proxy of its own, which shows the starts that it asks for.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployProject } from '../bench/service/deploy-project.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { connectEngine, type Engine } from '../server/src/assets/docker/client.ts';
import { label, ownedBy } from '../server/src/assets/docker/labels.ts';
import { installationId } from '../server/src/people/principals/find.ts';
import { inSoak } from '../server/src/testing/config.ts';
import { removeLeftovers } from '../server/src/testing/engine-leftovers.ts';
import { printFigures } from '../server/src/testing/print-figures.ts';
import { callAgent } from './call-agent.ts';
import { engineProxy, type EngineProxy } from './engine-proxy.ts';
import { openServices, type Services } from './services.ts';
import { agentYaml, writeProject } from './write-project.ts';

const agents = Array.from({ length: inSoak(4, 20) }, (_, n) => `kept-${n}`);
const rounds = inSoak(1, 8);
const half = agents.length / 2;
/** To each agent whose container lives, at the moment of the kill. */
const calls = inSoak(10, 40);
// A restart after a crash waits longer than a takeover.
const patience = { timeout: 90_000, interval: 100 };

/** The holder is the service with the lease of the agent at the moment of the start. */
interface Start {
  container: string;
  /** It asks for the start. */
  service: number;
  holder: number | undefined;
}

let engine: Engine;
let proxies: EngineProxy[];
let services: Services;
let starts: Promise<Start>[] = [];
/** The name of the agent in a container. */
let agentIn = new Map<string, string>();

beforeAll(async () => {
  proxies = await Promise.all(
    [0, 1].map(
      async (service) =>
        await engineProxy({ onStart: (container) => void starts.push(startOf({ container, service })) }),
    ),
  );
  services = await openServices({
    count: 2,
    roles: 'api,worker,ingress,gateway',
    env: { WARM_SECONDS: '0', BUILD_SHARE: 'engine' },
    envOf: (n) => ({ DOCKER_HOST: proxies[n]?.host ?? '' }),
  });
  // Through the proxy of this test no service can prove the rules of a list.
  await services.admin(0).call('org.set', { body: { agent_egress: 'open' } });
  engine = connectEngine({ installation_id: await installationId(services.db) });
  const left = [...agents];
  const deployAll = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const yaml = agentYaml(name, 'deploy:\n  resources: {memory: 256Mi}\n').replace('team: ml', 'team: default');
      await deployProject(services.admin(0), await writeProject(services, name, { 'agent.yaml': yaml }));
    }
  };
  // A user's deploys beyond three wait for each other.
  await Promise.all([deployAll(), deployAll(), deployAll()]);
  const found = await engine.docker.listContainers({ filters: ownedBy(engine, 'agent') });
  agentIn = new Map(found.map(({ Id, Labels }) => [Id, Labels[label.agent] ?? '']));
}, 1_200_000);
afterAll(async () => {
  await services?.stop();
  await Promise.all(proxies.map(async (proxy) => await proxy.close()));
  await removeLeftovers(engine);
});

test('each agent is kept by one of two services whichever is killed, and no container is started twice', async () => {
  expect([...agentIn.values()].toSorted()).toEqual(agents.toSorted());
  const takeovers_ms: number[] = [];
  const restarts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await expect.poll(held, patience).toEqual([half, half]);
    await services.db.run(sql`update instance set failures = 0, next_start_at = null`);
    starts = [];
    const crashed = shuffled([...agentIn.keys()]).slice(0, half);
    const since = new Date();
    await Promise.all(crashed.map(async (id) => void (await engine.docker.getContainer(id).kill())));
    // At some moment between the crash and the answers of the restarted agents.
    await delay(Math.random() * 4000);
    const victim = Math.random() < 0.5 ? 0 : 1;
    const survivor = 1 - victim;
    const steady = agents.filter((name) => !crashed.some((id) => agentIn.get(id) === name));
    const calling = Promise.allSettled(
      steady.flatMap((name) => Array.from({ length: calls }, async () => await callDetached(victim, name))),
    );
    await delay(Math.random() * 100);
    const killed_at = performance.now();
    await services.kill(victim);
    await calling;
    const all = [0, 0].with(survivor, agents.length);
    await expect.poll(held, { timeout: 8000, interval: 50 }).toEqual(all);
    takeovers_ms.push(Math.round(performance.now() - killed_at));
    await expect.poll(async () => await answering(survivor), patience).toEqual(agents.map(() => 200));

    const made = await Promise.all(starts);
    expect(made.filter(({ holder, service }) => holder !== service)).toEqual([]);
    const begun = await startedSince(since);
    expect(begun.toSorted()).toEqual(crashed.toSorted());
    const running = await engine.docker.listContainers({ filters: ownedBy(engine, 'agent') });
    expect(running.map(({ Id }) => Id).toSorted()).toEqual([...agentIn.keys()].toSorted());
    // Every call that was stored has its answer, also one that the killed service had not sent.
    await expect.poll(async () => await endsSince(since, steady), patience).toEqual({ open: 0, lost: 0 });
    restarts.push(begun.length);
    await services.start(victim);
  }
  await expect.poll(held, patience).toEqual([half, half]);
  printFigures('two services', { agents: agents.length, rounds, restarts, takeovers_ms });
}, 1_800_000);

test('calls on one thread through two services are one after the other, and an answer through one goes to the question of the other', async () => {
  const code = await readFile(join(import.meta.dirname, 'agents/rememberer.py'), 'utf8');
  const yaml = agentYaml('rememberer', '', 'default');
  await deployProject(
    services.admin(0),
    await writeProject(services, 'rememberer', { 'agent.py': code, 'agent.yaml': yaml }),
  );
  const [here, there] = [0, 1].map((n) => callAgent(`${services.urls[n]}/agents/rememberer`, services.token));
  if (here === undefined || there === undefined) throw new Error('there are two services');
  const slow = here.ask({ do: 'slowly', value: 1 }, { thread_id: 'one' });
  await expect.poll(async () => (await there.send('/threads?state=working')).text, patience).toContain('"one"');
  const others = await Promise.all(
    [there, here, there].map(async (service, n) => await service.ask({ do: 'say', value: n }, { thread_id: 'one' })),
  );
  // What each has found: nothing is lost, and no two have gone on from one state.
  const found = others.map(({ json }) => (json.output?.result as unknown[] | undefined)?.length ?? 0);
  expect((await slow).json.output?.result).toBe(0);
  expect(found.toSorted((a, b) => a - b)).toEqual([2, 3, 4]);

  expect((await here.ask({ do: 'ask', value: 'sure?' }, { thread_id: 'two' })).json.status).toBe('interrupted');
  const body = JSON.stringify({ thread_id: 'two', resume: 'yes' });
  const answers = await Promise.all(
    [there, here].map(async (service) => await service.send('/invoke', { method: 'POST', body })),
  );
  const outcomes = answers.map(({ json }) => json.output?.result ?? json.code);
  expect(outcomes).toContain('first heard yes');
  expect(outcomes).toContain('nothing_to_resume');
}, 300_000);

/** The number of agents with each service, by the leases that have not ended. */
async function held(): Promise<number[]> {
  const rows = await services.db.all<{ owner: string }>(
    sql`select owner from held_key where key like 'agent:%' and lease_until >= clock_now()`,
  );
  const of = (service: number) => rows.filter(({ owner }) => serviceOf(owner) === service).length;
  return [of(0), of(1)];
}

/** An owner is a host, a process id and a random text. */
function serviceOf(owner: string | undefined): number | undefined {
  const pid = Number(owner?.split(':').at(-2));
  return [0, 1].find((n) => services.pidOf(n) === pid);
}

async function startOf({ container, service }: { container: string; service: number }): Promise<Start> {
  const row = await services.db.one<{ owner: string }>(sql`
    select owner from held_key h join asset a on h.key = 'agent:' || a.id || ':local'
    where a.name = ${agentIn.get(container) ?? ''} and h.lease_until >= clock_now()`);
  return { container, service, holder: serviceOf(row?.owner) };
}

/** The containers that the engine has started, once for each start. */
async function startedSince(since: Date): Promise<string[]> {
  const options = {
    since: since.getTime() / 1000,
    until: Date.now() / 1000,
    filters: { ...ownedBy(engine, 'agent'), event: ['start'] },
  };
  const stream = await engine.docker.getEvents(options);
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { Actor: { ID: string } }).Actor.ID);
}

/** Its caller may lose the connection. */
async function callDetached(service: number, name: string): Promise<void> {
  const agent = callAgent(`${services.urls[service]}/agents/${name}`, services.token);
  await agent.send('/invoke', {
    method: 'POST',
    headers: { prefer: 'respond-async' },
    body: JSON.stringify({ input: { said: 'kept?' } }),
  });
}

async function endsSince(since: Date, names: readonly string[]): Promise<{ open: number; lost: number } | undefined> {
  return await services.db.one<{ open: number; lost: number }>(sql`
    select count(*) filter (where i.state = 'running')::int as open, count(*) filter (where i.status <> 200)::int as lost
    from invocation i join asset a on a.id = i.agent_id where a.name = any(${names}) and i.created_at >= ${since}`);
}

async function answering(service: number): Promise<number[]> {
  return await Promise.all(
    agents.map(async (name) => {
      const agent = callAgent(`${services.urls[service]}/agents/${name}`, services.token);
      return (await agent.ask({ said: 'there?' })).status;
    }),
  );
}

function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((one) => [Math.random(), one] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, one]) => one);
}
