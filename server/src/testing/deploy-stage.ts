// The stage for tests of deploys: a real database, a real worker, real pushes. Only the ports are fakes: an image has no content, and a
// container is an entry in a map. So a test can read and change the outside world in the middle of a step.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusalRecorder } from '../access/refused.ts';
import { approve } from '../approvals/approve.ts';
import { submit } from '../approvals/submit.ts';
import type { Needed } from '../deploy/build-image.ts';
import type { DeployParts } from '../deploy/parts.ts';
import type { Instance, Place, Target } from '../deploy/targets/target.ts';
import { openEnvelope } from '../envelope/envelope.ts';
import { cursors } from '../http/cursor.ts';
import { stores } from '../secrets/stores/index.ts';
import { seedCast, type Cast } from './cast.ts';
import type { TestProject } from './project-archive.ts';
import { startPushes } from './pushes.ts';
import { testDatabase, type TestDatabase } from './test-database.ts';

export interface DeployStage {
  database: TestDatabase;
  cast: Cast;
  parts: DeployParts;
  /** By container id. */
  containers: Map<string, Instance>;
  /** The number of requests for a place. */
  provisioned: number;
  /** An event of the outside world in the middle of a build. */
  duringBuild: () => Promise<unknown>;
  /** The images that the last prune had to keep; undefined when it had to wait. */
  needed: Needed | undefined;
  /** The answer of the agents' /health; undefined: it hangs up. */
  health: { status: string; in_flight: number } | undefined;
  push(project?: TestProject): Promise<{ name: string; ref: string }>;
  approve(ref: string): Promise<string>;
  /** Resets the state to that before the first test. */
  clear(): void;
  close(): Promise<void>;
}

export async function openDeployStage(): Promise<DeployStage> {
  const database = await testDatabase();
  const { db } = database;
  const cast = await seedCast(db);
  const pushes = await startPushes(db);
  const folder = await mkdtemp(join(tmpdir(), 'gantry-deploy-'));
  const agentServer = createServer((_, response) =>
    stage.health === undefined ? response.destroy() : response.end(JSON.stringify(stage.health)),
  );
  await new Promise<void>((resolve) => agentServer.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(agentServer.address() as AddressInfo).port}`; // it listens on TCP
  let agents = 0;

  const stage: DeployStage = {
    database,
    cast,
    containers: new Map(),
    provisioned: 0,
    duringBuild: async () => {},
    needed: undefined,
    health: { status: 'ready', in_flight: 0 },
    parts: {
      db,
      cursors: cursors(Buffer.alloc(32)),
      builder: {
        build: async ({ content, onLog, signal }) => {
          onLog(`building ${content.version}`);
          await Promise.race([stage.duringBuild(), cutOff(signal)]);
          return { image: content.digest, dependency_image: 'sha256:deps', reused: true, installed: [] };
        },
        prune: async (needed) => {
          stage.needed = await needed();
          return stage.needed !== undefined;
        },
      },
      targets: { local: standIn() },
      key_maker: { pepper: Buffer.alloc(32), envelope: openEnvelope(Buffer.alloc(32)) },
      gateway_url: 'http://gateway.test',
      listed: { gateway_url: 'http://gateway.test', proxy_url: 'http://proxy.test:4491' },
      secret_stores: stores({ envelope: openEnvelope(Buffer.alloc(32)) }),
      artefact_directory: folder,
      recordRefusal: refusalRecorder(db),
      ingress_key: Buffer.alloc(32),
      base_url: () => 'http://gantry.test',
      start_deadline_ms: 5000,
      drain_limit_ms: 60_000,
    },
    push: async (project = {}) => {
      agents += 1;
      const { name = `agent-${agents}`, version = '1.0.0' } = project;
      const run = await pushes.push(await cast.caller('ada'), { ...project, name, version });
      if (run.state !== 'done') throw new Error(`the push is ${run.state}: ${JSON.stringify(run.problem)}`);
      return { name, ref: `agents/${name}@${version}` };
    },
    approve: async (ref) => {
      const { id } = await submit(db, await cast.caller('ada'), { asset: ref, message: '' });
      await approve(db, await cast.caller('max'), id, 'fine');
      return id;
    },
    clear: () => {
      stage.containers.clear();
      stage.provisioned = 0;
      stage.duringBuild = async () => {};
      stage.health = { status: 'ready', in_flight: 0 };
      stage.parts.targets.local = standIn();
    },
    close: async () => {
      await pushes.stop();
      agentServer.close();
      await database.close();
      await rm(folder, { recursive: true });
    },
  };

  function standIn(): Target {
    const gone = (place: Place): Instance => ({
      place,
      revision_id: '',
      run_id: '',
      state: 'gone',
      out_of_memory: false,
    });
    const set = (place: Place, state: Instance['state']) => {
      const found = stage.containers.get(place.container_id);
      if (found !== undefined) stage.containers.set(place.container_id, { ...found, state });
    };
    return {
      provision: async ({ revision_id, run_id, agent, egress }) => {
        stage.provisioned += 1;
        const on = egress === undefined ? {} : { egress };
        const place = { target: 'local' as const, container_name: `svc-${agent}`, container_id: revision_id, ...on };
        const made: Instance = { place, revision_id, run_id, state: 'created', out_of_memory: false, url };
        if (!stage.containers.has(revision_id)) stage.containers.set(revision_id, made);
        return { ...place, compose_file: 'services: {}\n' };
      },
      start: async (place) => {
        set(place, 'running');
        return stage.containers.get(place.container_id) ?? gone(place);
      },
      observe: async (place) => stage.containers.get(place.container_id) ?? gone(place),
      drain: async () => {
        stage.health = { in_flight: 0, ...stage.health, status: 'draining' };
      },
      stop: async (place) => set(place, 'exited'),
      release: async (place) => void stage.containers.delete(place.container_id),
      logs: async function* logs() {},
      list: async () => [...stage.containers.values()],
    };
  }

  return stage;
}

/** Waits until the signal is aborted, and throws its reason. */
export async function cutOff(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
