import { Problem } from '@gantry/contract/problems.ts';
import type Docker from 'dockerode';
import { z } from 'zod';
import { answered, ask, unless, type Engine } from '../../../../assets/docker/client.ts';
import { label, ownedBy } from '../../../../assets/docker/labels.ts';
import { isOwn, type Network } from '../../../../assets/docker/networks.ts';
import { wasOutOfMemory } from '../../../../assets/docker/out-of-memory.ts';
import { valuesOf } from '../mask.ts';
import { composeFile } from './compose-file.ts';
import { containerLogs } from './container-logs.ts';
import { agent_port, containerSpec } from './container-spec.ts';
import type { SecretPlace } from './secret-place.ts';
import type { Instance, Outgoing, Place, PlaceInput, Provisioned, Target } from '../target.ts';

export interface Room {
  /** The engine that runs agents. */
  engine: Engine;
  /** The network of containers without limits. */
  network: Network;
  /** The internal network of the others. Throws `egress_not_enforced` unless its rules are set. */
  openListed: () => Promise<Network>;
  secrets: SecretPlace;
}

export interface DockerSettings {
  open: () => Promise<Room>;
  deliver: Target['deliver'];
  /** What a container on the network with this gateway reaches; `limited`: only through the proxy. */
  outgoing: (o: { gateway: string; limited: boolean }) => Outgoing;
}

const dockerPlace = z.object({
  container_name: z.string(),
  container_id: z.string(),
  /** The outside destinations of the container. Undefined: not limited. */
  egress: z.array(z.string()).optional(),
});

/** A container is reached at its own address. */
export const reachContainer: Target['reach'] = async (_, url) => ({ url, headers: {} });

/**
 * Agents as containers of a Docker engine. A place is a container, created before its start. All changes use its id, so a run that lost its
 * lease has an old id and changes nothing.
 */
export function dockerTarget({ open, deliver, outgoing }: DockerSettings): Target {
  const opened = async (place?: Place) => {
    const room = await open();
    const { docker } = room.engine;
    const { container_id, container_name, egress } = place === undefined ? none : dockerPlace.parse(place);
    return {
      ...room,
      container: docker.getContainer(container_id),
      container_name,
      egress,
    };
  };
  return {
    reach: reachContainer,
    deliver,

    async outgoing(place) {
      const { egress, network, openListed } = await opened(place);
      const { gateway } = egress === undefined ? network : await openListed();
      return outgoing({ gateway, limited: egress !== undefined });
    },

    provision: async (input, signal) => await provision(await opened(), input, signal),

    async start(place, files, signal) {
      const { container, container_name, secrets, egress, openListed } = await opened(place);
      const before = await observe(container, signal);
      if (before.state === 'gone')
        throw new Problem('start_failed', { detail: 'The container of this revision is missing' });
      if (before.state === 'running') return before;
      // A restart of the machine removes the rules.
      if (egress !== undefined) await openListed();
      await secrets.during(container_name, files, async () => {
        await ask(container.start(), { signal });
      });
      return observe(container, signal);
    },

    async observe(place, signal) {
      const { container } = await opened(place);
      return { ...(await observe(container, signal)), place };
    },

    async signalDrain(place, signal) {
      const { container } = await opened(place);
      // 409: the container does not run.
      await unless(404, unless(409, ask(container.kill({ signal: 'SIGUSR1' }), { signal })));
    },

    async stop(place, { grace_seconds }, signal) {
      const { container } = await opened(place);
      await unless(
        404,
        unless(304, ask(container.stop({ t: grace_seconds }), { seconds: grace_seconds + 30, signal })),
      );
    },

    async release({ place, name: container_name, instance_id }, signal) {
      const { engine, container: placed, secrets } = await opened(place ?? undefined);
      const container = place === null ? await findOwn(engine, { container_name, instance_id }, signal) : placed;
      if (container !== undefined) await remove(container, signal);
      // A newer place with the same name keeps its secrets.
      const successor = await inspect(engine.docker.getContainer(container_name), signal);
      if (successor === undefined) await secrets.remove(container_name);
    },

    logs: async function* logs(place, query) {
      const { container, container_name, secrets } = await opened(place);
      const delivered = await secrets.values(container_name, Object.keys(query.secrets));
      try {
        yield* containerLogs(container, query, valuesOf(query.secrets, delivered));
      } catch (error) {
        // Its removal has begun. The engine reads no log of it, and still shows it.
        if (answered(error, 409))
          await unless(404, ask(container.wait({ condition: 'removed' }), { seconds: 30, signal: query.signal }));
        throw error;
      }
    },

    async room(signal) {
      const { engine } = await opened();
      const { MemTotal: memory_bytes } = (await ask(engine.docker.info(), { signal })) as { MemTotal: number }; // the client has no type
      const running = await ask(engine.docker.listContainers({ filters: ownedBy(engine, 'agent') }), { signal });
      const limits = await Promise.all(
        running.map(async ({ Id }) => (await inspect(engine.docker.getContainer(Id), signal))?.HostConfig.Memory ?? 0),
      );
      return { memory_bytes, used_bytes: limits.reduce((sum, limit) => sum + limit, 0) };
    },

    async list(signal) {
      const { engine } = await opened();
      const found = await ask(engine.docker.listContainers({ all: true, filters: ownedBy(engine, 'agent') }), {
        signal,
      });
      const seen = await Promise.all(found.map(({ Id }) => observe(engine.docker.getContainer(Id), signal)));
      // A container that was removed in between has no name, and the client cannot ask the engine for an empty name.
      return seen.filter(({ state }) => state !== 'gone');
    },
  };
}

const none = { container_id: '', container_name: '', egress: undefined };

async function provision(
  { engine, network, openListed, secrets }: Room,
  input: PlaceInput,
  signal: AbortSignal,
): Promise<Provisioned> {
  const { name: container_name, egress } = input;
  const on = egress === undefined ? network : await openListed();
  const spec = containerSpec(engine, { ...input, network: on, secrets: secrets.mount(container_name) });
  await secrets.prepare(container_name);
  const container_id =
    (await adopt(engine, input, container_name, signal)) ??
    (await ask(engine.docker.createContainer(spec), { signal })).id;
  const place = { container_name, container_id, ...(egress === undefined ? {} : { egress }) };
  return { place, artefacts: [{ file: 'compose.yaml', content: composeFile(spec) }] };
}

/** Reuses the container of an earlier attempt with the same fence. Otherwise removes the old container, which makes its id invalid. */
async function adopt(
  engine: Engine,
  input: PlaceInput,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const existing = await inspect(engine.docker.getContainer(name), signal);
  if (existing === undefined) return undefined;
  const { Labels } = existing.Config;
  if (!isOwn(engine, Labels)) throw new Error(`The container ${name} does not belong to this installation`);
  const isOurs = Labels[label.instance] === input.instance_id;
  const fence = Number(Labels[label.fence]);
  const isSame = Labels[label.egress] === input.egress?.join(' ');
  if (isOurs && fence === input.fence && isSame) return existing.Id;
  if (isOurs && fence > input.fence) throw new Error(`The instance ${input.instance_id} has a newer fence`);
  await remove(engine.docker.getContainer(existing.Id), signal);
  return undefined;
}

/** The container of an instance whose making was interrupted before its id was stored. */
async function findOwn(
  engine: Engine,
  { container_name, instance_id }: { container_name: string; instance_id: string },
  signal?: AbortSignal,
): Promise<Docker.Container | undefined> {
  const found = await inspect(engine.docker.getContainer(container_name), signal);
  if (found === undefined || !isOwn(engine, found.Config.Labels)) return undefined;
  return found.Config.Labels[label.instance] === instance_id ? engine.docker.getContainer(found.Id) : undefined;
}

async function observe(container: Docker.Container, signal?: AbortSignal): Promise<Instance> {
  const found = await inspect(container, signal);
  if (found === undefined) {
    const nobody = { instance_id: '', revision_id: '', name: '' };
    return { ...nobody, place: {}, state: 'gone', out_of_memory: false };
  }
  const { State, NetworkSettings, Config, HostConfig } = found;
  const name = found.Name.slice(1);
  const state = State.Running ? 'running' : State.Status === 'created' ? 'created' : 'exited';
  // The network of its making. A person may have connected it to others.
  const on = NetworkSettings.Networks[HostConfig.NetworkMode ?? ''];
  const address = state === 'running' ? on?.IPAddress : undefined;
  return {
    place: { container_name: name, container_id: found.Id },
    // Containers from before instances had ids are the only instance of their revision.
    instance_id: Config.Labels[label.instance] ?? Config.Labels[label.revision] ?? '',
    revision_id: Config.Labels[label.revision] ?? '',
    name,
    state,
    ...(address === undefined || address === '' ? {} : { url: `http://${address}:${agent_port}` }),
    ...(state === 'exited' ? { exit_code: State.ExitCode, finished_at: State.FinishedAt } : {}),
    ...(state === 'created' ? {} : { started_at: State.StartedAt }),
    out_of_memory: await wasOutOfMemory(container, State, signal),
  };
}

async function inspect(
  container: Docker.Container,
  signal?: AbortSignal,
): Promise<Docker.ContainerInspectInfo | undefined> {
  return unless(404, ask(container.inspect(), { signal }));
}

async function remove(container: Docker.Container, signal?: AbortSignal): Promise<void> {
  // 409: another request is removing it now.
  await unless(404, unless(409, ask(container.remove({ force: true, v: true }), { signal })));
}
