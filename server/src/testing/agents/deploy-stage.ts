// The stage for tests of deploys: a real database, a real worker, real pushes. Only the ports are fakes: an image has no content, and a
// container is an entry in a map. So a test can read and change the outside world in the middle of a step.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusalRecorder } from '../../governance/access/refused.ts';
import { approve } from '../../agents/approvals/approve.ts';
import { submit } from '../../agents/approvals/submit.ts';
import type { Needed } from '../../agents/deploy/build/build-image.ts';
import { openAgentLeases } from '../../agents/deploy/keep/agent-leases.ts';
import { agentConnections } from '../../agents/deploy/connections/agent-connections.ts';
import { ingressSecret } from '../../agents/deploy/serving/ingress-secret.ts';
import type { DeployParts } from '../../agents/deploy/parts.ts';
import { planFor } from '../../agents/deploy/plan-for.ts';
import { openTargets, type KindOfTarget, type Targets } from '../../agents/deploy/targets/index.ts';
import type { Instance, Place, Target } from '../../agents/deploy/targets/target.ts';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import { cursors } from '../../governance/http/cursor.ts';
import { leavesInOrder } from '../../governance/access/when-leaves.ts';
import { whenLeaves } from '../../roles/leaving.ts';
import { stores } from '../../assets/secrets/stores/index.ts';
import { prove } from './agent-stand-in.ts';
import { seedCast, type Cast } from '../access/cast.ts';
import type { TestProject } from '../pushes/project-archive.ts';
import { startPushes } from '../pushes/pushes.ts';
import { testDatabase, type TestDatabase } from '../test-database.ts';

export interface DeployStage {
  database: TestDatabase;
  cast: Cast;
  parts: DeployParts;
  /** By the id of the revision for its first instance, and of the instance for further ones. */
  containers: Map<string, Instance>;
  room: { memory_bytes: number; used_bytes: number };
  /** By name. A test may add others. */
  targets: { local: Target; [name: string]: Target };
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

const noKind: KindOfTarget = {
  open: ({ name }) => {
    throw new Error(`a stage has no row ${name}`);
  },
  test: async () => [],
};

/** Without rows. */
export const fixedTargets = (fixed: Readonly<Record<string, Target>>): Targets =>
  openTargets({
    fixed,
    kinds: { engine: noKind, kubernetes: noKind, aws: noKind, gcp: noKind, azure: noKind },
    rows: { find: async () => undefined, names: async () => [] },
  });

export async function openDeployStage(): Promise<DeployStage> {
  const database = await testDatabase();
  const { db } = database;
  const cast = await seedCast(db);
  const pushes = await startPushes(db);
  const folder = await mkdtemp(join(tmpdir(), 'gantry-deploy-'));
  // The address of a container ends with the id of its revision.
  const agentServer = createServer((request, response) => {
    const [, revision_id = '', path] = (request.url ?? '').split('/');
    if (path === 'identity') prove(ingressSecret(stage.parts.ingress_key, revision_id), request, response);
    else if (stage.health === undefined) response.destroy();
    else {
      if (path === 'drain') stage.health = { ...stage.health, status: 'draining' };
      response.end(JSON.stringify(stage.health));
    }
  });
  const connections = agentConnections();
  await new Promise<void>((resolve) => agentServer.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(agentServer.address() as AddressInfo).port}`; // it listens on TCP
  // The owner of the workers of these tests.
  const leases = openAgentLeases(db, { owner: 'test', onError: () => {} });
  const secretStores = stores({ envelope: openEnvelope(Buffer.alloc(32)) });
  let agents = 0;
  const targets: DeployStage['targets'] = { local: standIn() };

  const stage: DeployStage = {
    database,
    cast,
    containers: new Map(),
    targets,
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
        hold: async (work) => await work(),
        hasImage: async (image) => !stage.lost.has(image),
        prune: async (needed) => {
          stage.needed = await needed();
          return stage.needed !== undefined;
        },
      },
      targets: fixedTargets(targets),
      leases,
      connections,
      key_maker: { pepper: Buffer.alloc(32), envelope: openEnvelope(Buffer.alloc(32)) },
      secret_stores: secretStores,
      leaves: leavesInOrder(whenLeaves(secretStores)),
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
      const { id } = await submit(
        { db, targets: async () => [], planFor: planFor(stage.parts.targets) },
        await cast.caller('ada'),
        {
          asset: ref,
          message: '',
        },
      );
      await approve({ db, planFor: planFor(stage.parts.targets) }, await cast.caller('max'), id, 'fine');
      return id;
    },
    clear: () => {
      stage.containers.clear();
      stage.provisioned = 0;
      stage.lost.clear();
      stage.duringBuild = async () => {};
      stage.health = { status: 'ready', in_flight: 0 };
      targets.local = standIn();
      stage.parts.hasOpenCalls = async () => false;
    },
    close: async () => {
      await pushes.stop();
      await leases.stop();
      await connections.destroy();
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
      outgoing: async () => ({ service_url: 'http://service.test' }),
      provision: async ({ instance_id, revision_id, name }) => {
        stage.provisioned += 1;
        const container_id = name.endsWith('-1') ? revision_id : instance_id;
        const place = { container_id };
        const made: Instance = {
          place,
          instance_id,
          revision_id,
          name,
          state: 'created',
          out_of_memory: false,
          url: `${url}/${revision_id}`,
        };
        if (!stage.containers.has(container_id)) stage.containers.set(container_id, made);
        return { place, artefacts: [{ file: 'compose.yaml', content: 'services: {}\n' }] };
      },
      start: async (place) => {
        set(place, 'running');
        return observe(place);
      },
      observe: async (place) => observe(place),
      signalDrain: async () => {
        throw new Error('the agents of this stage take the request');
      },
      stop: async (place) => set(place, 'exited'),
      release: async ({ place, instance_id }) => {
        for (const [id, one] of stage.containers)
          if (place === null ? one.instance_id === instance_id : id === idOf(place)) stage.containers.delete(id);
      },
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
