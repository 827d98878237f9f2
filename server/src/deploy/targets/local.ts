import { Problem } from '@gantry/contract/problems.ts';
import type Docker from 'dockerode';
import { answered, ask, type Engine } from '../../engine/client.ts';
import { label, ownedBy } from '../../engine/labels.ts';
import { isOwn, networkName, type Network } from '../../engine/networks.ts';
import { wasOutOfMemory } from '../../engine/out-of-memory.ts';
import { composeFile } from './compose-file.ts';
import { containerLogs } from './container-logs.ts';
import { agent_port, containerName, containerSpec } from './container-spec.ts';
import { secretDirectory, type SecretDirectory } from './secret-directory.ts';
import type { Instance, Place, PlaceInput, ProvisionedPlace, Target } from './target.ts';

export interface LocalSettings {
  engine: Engine;
  /** Of containers without limits. */
  network: Network;
  /** The internal network of the others. Throws `egress_not_enforced` unless its rules are set. */
  openListed: () => Promise<Network>;
  /** The service's own directory, on tmpfs. See memoryDirectory(). */
  secrets_directory: string;
}

/**
 * Agents as containers of this machine's engine. A place is a container, created before its start. All changes use its id,
 * so a run that lost its lease has an old id and changes nothing.
 */
export function localTarget({ engine, network, openListed, secrets_directory }: LocalSettings): Target {
  const networks = [network.name, networkName(engine, 'listed')];
  const secrets = secretDirectory(secrets_directory);
  const containerOf = (place: Place) => engine.docker.getContainer(place.container_id);
  return {
    provision: (input, signal) => provision({ engine, network, openListed, secrets }, input, signal),

    async start(place, files, signal) {
      const before = await observe(containerOf(place), networks, signal);
      if (before.state === 'gone')
        throw new Problem('start_failed', { detail: 'The container of this revision is missing' });
      if (before.state === 'running') return before;
      // A restart of the machine removes the rules.
      if (place.egress !== undefined) await openListed();
      await secrets.write(place.container_name, files);
      await ask(containerOf(place).start(), { signal });
      return observe(containerOf(place), networks, signal);
    },

    async observe(place, signal) {
      const instance = await observe(containerOf(place), networks, signal);
      if (instance.state !== 'gone') return instance;
      return { ...instance, place: { ...instance.place, container_name: place.container_name } };
    },

    async drain(place, signal) {
      // 409: the container does not run.
      await unless(404, unless(409, ask(containerOf(place).kill({ signal: 'SIGUSR1' }), { signal })));
    },

    async stop(place, { grace_seconds }, signal) {
      await unless(
        404,
        unless(304, ask(containerOf(place).stop({ t: grace_seconds }), { seconds: grace_seconds + 30, signal })),
      );
    },

    async release(place, signal) {
      await remove(containerOf(place), signal);
      // A newer place with the same name keeps its secrets.
      const successor = await inspect(engine.docker.getContainer(place.container_name), signal);
      if (successor === undefined) await secrets.remove(place.container_name);
    },

    logs: async function* logs(place, query) {
      const delivered = await secrets.values(place.container_name, Object.keys(query.secrets));
      const today = Object.values(query.secrets).filter((value) => value !== undefined);
      yield* containerLogs(containerOf(place), query, [...new Set([...today, ...delivered])]);
    },

    async list(signal) {
      const found = await ask(engine.docker.listContainers({ all: true, filters: ownedBy(engine, 'agent') }), {
        signal,
      });
      const seen = await Promise.all(found.map(({ Id }) => observe(engine.docker.getContainer(Id), networks, signal)));
      // A container that was removed in between has no name, and the client cannot ask the engine for an empty name.
      return seen.filter(({ state }) => state !== 'gone');
    },
  };
}

type Room = Omit<LocalSettings, 'secrets_directory'> & { secrets: SecretDirectory };

async function provision(
  { engine, network, openListed, secrets }: Room,
  input: PlaceInput,
  signal: AbortSignal,
): Promise<ProvisionedPlace> {
  const container_name = containerName(input);
  const { egress } = input;
  const on = egress === undefined ? network : await openListed();
  const spec = containerSpec(engine, { ...input, network: on, secrets_path: secrets.path(container_name) });
  await secrets.prepare(container_name);
  const container_id =
    (await adopt(engine, input, container_name, signal)) ??
    (await ask(engine.docker.createContainer(spec), { signal })).id;
  const made = { target: 'local' as const, container_name, container_id, compose_file: composeFile(spec) };
  return egress === undefined ? made : { ...made, egress };
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
  const isOurs = Labels[label.run] === input.run_id;
  const fence = Number(Labels[label.fence]);
  const isSame = Labels[label.egress] === input.egress?.join(' ');
  if (isOurs && fence === input.fence && isSame) return existing.Id;
  if (isOurs && fence > input.fence) throw new Error(`The run ${input.run_id} has a newer fence`);
  await remove(engine.docker.getContainer(existing.Id), signal);
  return undefined;
}

async function observe(
  container: Docker.Container,
  networks: readonly string[],
  signal?: AbortSignal,
): Promise<Instance> {
  const found = await inspect(container, signal);
  const place = { target: 'local' as const, container_name: '', container_id: container.id };
  if (found === undefined) return { place, revision_id: '', run_id: '', state: 'gone', out_of_memory: false };
  const { State, NetworkSettings, Config } = found;
  const state = State.Running ? 'running' : State.Status === 'created' ? 'created' : 'exited';
  const on = networks.map((name) => NetworkSettings.Networks[name]).find((one) => one !== undefined);
  const address = state === 'running' ? on?.IPAddress : undefined;
  return {
    place: { ...place, container_name: found.Name.slice(1), container_id: found.Id },
    revision_id: Config.Labels[label.revision] ?? '',
    run_id: Config.Labels[label.run] ?? '',
    state,
    ...(address === undefined || address === '' ? {} : { address, url: `http://${address}:${agent_port}` }),
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

/** Returns undefined when the engine answers with the given status, which means an unchanged state. */
async function unless<T>(status: number, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (answered(error, status)) return undefined;
    throw error;
  }
}
