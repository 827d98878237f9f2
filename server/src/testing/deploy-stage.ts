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
import type { Needed } from '../deploy/build/build-image.ts';
import { openAgentLeases } from '../deploy/keep/agent-leases.ts';
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
  /** By the id of the revision for its first instance, and of the instance for further ones. */
  containers: Map<string, Instance>;
  room: { memory_bytes: number; used_bytes: number };
  /** The number of requests for a place. */
  provisioned: number;
  /** An event of the outside world in the middle of a build. */
  duringBuild: () => Promise<unknown>;
  /** Images that the engine has lost. */
  lost: Set<string>;
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
  // The owner of the workers of these tests.
  const leases = openAgentLeases(db, { owner: 'test', onError: () => {} });
  let agents = 0;

  const stage: DeployStage = {
    database,
    cast,
    containers: new Map(),
    provisioned: 0,
    room: { memory_bytes: 2 ** 40, used_bytes: 0 },
    duringBuild: async () => {},
    lost: new Set(),
    needed: undefined,
    health: { status: 'ready', in_flight: 0 },
    parts: {
      db,
      cursors: cursors(Buffer.alloc(32)),
      builder: {
        build: async ({ content, onLog, signal }) => {
          onLog(`building ${content.version}`);
          await Promise.race([stage.duringBuild(), cutOff(signal)]);
          const image = stage.lost.has(content.digest) ? `${content.digest} rebuilt` : content.digest;
          return { image, dependency_image: 'sha256:deps', reused: true, installed: [] };
        },
        hasImage: async (image) => !stage.lost.has(image),
        prune: async (needed) => {
          stage.needed = await needed();
          return stage.needed !== undefined;
        },
      },
      targets: { local: standIn() },
      leases,
      key_maker: { pepper: Buffer.alloc(32), envelope: openEnvelope(Buffer.alloc(32)) },
      secret_stores: stores({ envelope: openEnvelope(Buffer.alloc(32)) }),
      artefact_directory: folder,
      recordRefusal: refusalRecorder(db),
      ingress_key: Buffer.alloc(32),
      base_url: () => 'http://gantry.test',
      start_deadline_ms: 5000,
      calm_before_removal_ms: 300_000,
      warm_ms: 0,
      drain_limit_ms: 60_000,
      hasOpenCalls: async () => false,
    },
    push: async (project = {}) => {
      agents += 1;
      const { name = `agent-${agents}`, version = '1.0.0' } = project;
      const run = await pushes.push(await cast.caller('ada'), { ...project, name, version });
      if (run.state !== 'done') throw new Error(`the push is ${run.state}: ${JSON.stringify(run.problem)}`);
      return { name, ref: `agents/${name}@${version}` };
    },
    approve: async (ref) => {
      const { id } = await submit({ db, targets: [] }, await cast.caller('ada'), { asset: ref, message: '' });
      await approve(db, await cast.caller('max'), id, 'fine');
      return id;
    },
    clear: () => {
      stage.containers.clear();
      stage.provisioned = 0;
      stage.lost.clear();
      stage.duringBuild = async () => {};
      stage.health = { status: 'ready', in_flight: 0 };
      stage.parts.targets.local = standIn();
      stage.parts.hasOpenCalls = async () => false;
    },
    close: async () => {
      await pushes.stop();
      await leases.stop();
      agentServer.close();
      await database.close();
      await rm(folder, { recursive: true });
    },
  };

  function standIn(): Target {
    const idOf = (place: Place) => String(place['container_id']);
    const observe = (place: Place): Instance => {
      const nobody = { instance_id: '', revision_id: '', name: '' };
      return stage.containers.get(idOf(place)) ?? { ...nobody, place, state: 'gone', out_of_memory: false };
    };
    const set = (place: Place, state: Instance['state']) => {
      const found = stage.containers.get(idOf(place));
      if (found !== undefined) stage.containers.set(idOf(place), { ...found, state });
    };
    return {
      deliver: async (image) => image,
      reach: async (_, to) => ({ url: to, headers: {} }),
      outgoing: async () => ({ gateway_url: 'http://gateway.test', subagents_url: 'http://subagents.test' }),
      provision: async ({ instance_id, revision_id, name }) => {
        stage.provisioned += 1;
        const container_id = name.endsWith('-1') ? revision_id : instance_id;
        const place = { container_id };
        const made: Instance = { place, instance_id, revision_id, name, state: 'created', out_of_memory: false, url };
        if (!stage.containers.has(container_id)) stage.containers.set(container_id, made);
        return { place, artefacts: [{ file: 'compose.yaml', content: 'services: {}\n' }] };
      },
      start: async (place) => {
        set(place, 'running');
        return observe(place);
      },
      observe: async (place) => observe(place),
      drain: async () => {
        stage.health = { in_flight: 0, ...stage.health, status: 'draining' };
      },
      stop: async (place) => set(place, 'exited'),
      release: async (place) => void stage.containers.delete(idOf(place)),
      room: async () => stage.room,
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
