// An installation of the release before, with agents in each state: one that serves beside its warm revision, one that sleeps, and one that is
// stopped.
import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@gantry/contract/client/client.ts';
import { deployProject, pushProject } from '../../bench/service/deploy-project.ts';
import type { Engine } from '../../server/src/assets/docker/client.ts';
import { removeInstallation } from '../../server/src/assets/workshop/remove-installation.ts';
import { reached } from '../api.ts';
import { callAgent, type Agent } from '../call-agent.ts';
import { engineOf } from '../engine-of.ts';
import { openServices, type Services } from '../services.ts';
import { agentYaml, echo, writeProject } from '../write-project.ts';
import { agentContainers } from './containers.ts';

const clone = resolve(import.meta.dirname, '../..');

/** The time that a service which stops has for its open requests. */
const stop_grace_seconds = 4;
/** The time that `late` needs to start: longer than an end of the service and a start of the next one. */
const late_seconds = 20;

export interface OldInstallation {
  services: Services;
  engine: Engine;
  admin: Client;
  agent(name: string): Agent;
  /** Puts `revision` into the code of `prober`, and deploys it as `version`. */
  deployProber(version: string, revision: string): Promise<void>;
  /** Begins the first deploy of the agent `late`, and returns while its container starts. */
  beginDeploy(): Promise<void>;
  /** Ends the service, and starts the one of this clone on the same database, folders, keys and engine. */
  upgrade(end: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** What the service of this clone has logged as an error. */
  errors(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openOldInstallation(release: string): Promise<OldInstallation> {
  const log = join(tmpdir(), `gantry-upgrade-${randomUUID()}.log`);
  const output = await open(log, 'a');
  let read_from = 0;
  // The old one keeps a replaced revision beyond the end of the test. The new one drains it at once.
  let warm_seconds = 3600;
  const services = await openServices({
    count: 1,
    roles: 'api,worker,ingress,gateway',
    env: { CALM_SECONDS: '3', STOP_GRACE_SECONDS: String(stop_grace_seconds) },
    envOf: () => ({ WARM_SECONDS: String(warm_seconds) }),
    from: release,
    output: output.fd,
  });
  const { engine, secrets_directory } = await engineOf({ data_dir: services.directory });
  const close = async () => {
    await services.stop();
    await output.close();
    await removeInstallation(engine);
    await rm(secrets_directory, { recursive: true, force: true });
    await rm(log, { force: true });
  };
  const admin = services.admin(0);
  const prober = await readFile(join(import.meta.dirname, '../agents/prober.py'), 'utf8');
  const installation: OldInstallation = {
    services,
    engine,
    admin,
    agent: (name) => callAgent(`${services.urls[0]}/agents/${name}`, services.token),
    deployProber: async (version, revision) => {
      const files = {
        'agent.yaml': agentYaml('prober').replace('1.0.0', version),
        'agent.py': prober.replace('REVISION = "first"', `REVISION = "${revision}"`),
      };
      await deployProject(admin, await writeProject(services, 'prober', files), { untilDrained: false });
    },
    beginDeploy: async () => {
      const files = { 'agent.py': `import time\ntime.sleep(${late_seconds})\n${echo}` };
      const { ref } = await pushProject(admin, await writeProject(services, 'late', files));
      await admin.call('deployments.create', { body: { ref, force: false } });
      await reached(admin, 'late', 'start');
    },
    upgrade: async (end) => {
      await (end === 'SIGTERM' ? services.terminate(0) : services.kill(0));
      ({ size: read_from } = await stat(log));
      warm_seconds = 0;
      await services.start(0, clone);
    },
    // They log nothing below this level.
    errors: async () =>
      (await readFile(log))
        .subarray(read_from)
        .toString()
        .split('\n')
        .filter((line) => line !== ''),
    close,
  };
  try {
    await admin.call('teams.create', { body: { name: 'ml' } });
    await installation.deployProber('1.0.0', 'first');
    await installation.deployProber('1.1.0', 'second');
    const yaml = agentYaml('sleeper', 'deploy:\n  scaling: {min: 0}\n');
    await deployProject(admin, await writeProject(services, 'sleeper', { 'agent.yaml': yaml }));
    await deployProject(admin, await writeProject(services, 'halted'));
    await admin.call('agents.stop', { params: { name: 'halted' }, query: {} });
    const deadline = AbortSignal.timeout(60_000);
    const isAtRest = async () =>
      isDeepStrictEqual(await states(admin), at_rest) &&
      // Its state is earlier than the end of its container.
      !(await agentContainers(engine)).some(({ agent }) => agent === 'sleeper');
    while (!(await isAtRest())) await delay(200, undefined, { signal: deadline });
    return installation;
  } catch (error) {
    await close();
    throw error;
  }
}

/** The states of the agents while nobody calls. */
export const at_rest = { prober: 'serving', sleeper: 'asleep', halted: 'stopped' };

export async function states(admin: Client): Promise<Record<string, string>> {
  const names = Object.keys(at_rest);
  const found = await Promise.all(names.map(async (name) => await admin.call('agents.status', { params: { name } })));
  return Object.fromEntries(found.map(({ name, state }) => [name, state]));
}
