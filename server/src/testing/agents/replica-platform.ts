// A platform that runs replicas by itself, on a real container engine: it keeps as many containers as it was told, and makes a new one for each
// that ends. It stands for a cluster or a cloud: none of them runs where the tests run.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Described, Platform, ReplicaSet } from '../../agents/deploy/targets/replicas/platform.ts';
import type { Instance, Place, SecretFiles, Target } from '../../agents/deploy/targets/target.ts';
import { stopGraceSeconds } from '../../agents/deploy/targets/stop-grace.ts';

interface Held extends ReplicaSet {
  described: Described;
  files: SecretFiles;
  leaving: Set<string>;
  /** Its containers, also those that end. */
  containers: Map<string, { place: Place; replica: string; isEnding: boolean }>;
}

export interface ReplicaPlatform extends Platform {
  /** As its own scaler does it. */
  choose(name: string, replicas: number): void;
  /** The names of the replicas that run. */
  running(name: string): string[];
  stop(): Promise<void>;
}

/** `containers` makes, starts and ends them. Its other duties stay unused. */
export function startReplicaPlatform(containers: Target, { has_scaler }: { has_scaler?: true } = {}): ReplicaPlatform {
  const sets = new Map<string, Held>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let fence = 1;

  async function make(set: Held): Promise<void> {
    const instance_id = randomUUID();
    const name = `${set.name}-${instance_id.slice(0, 8)}`;
    const input = { ...set.described, instance_id, name, fence: fence++ };
    const { place } = await containers.provision(input, signal);
    const one = { place, replica: hostname(place), isEnding: false };
    set.containers.set(instance_id, one);
    try {
      await containers.start(place, set.files, signal);
    } catch (error) {
      // Whoever removes the set takes it away before it has started.
      if (!one.isEnding) throw error;
    }
  }

  async function end(set: Held, id: string): Promise<void> {
    const one = set.containers.get(id);
    if (one === undefined || one.isEnding) return;
    one.isEnding = true;
    await containers.stop(one.place, { grace_seconds: stopGraceSeconds });
    await containers.release({ instance_id: id, name: nameOf(one.place), place: one.place });
    set.containers.delete(id);
  }

  async function keep(set: Held): Promise<void> {
    for (const [id, { place, isEnding }] of set.containers) {
      if (isEnding) continue;
      const seen: Instance = await containers.observe(place, signal);
      if (seen.state === 'running') continue;
      set.last_exit = { exit_code: seen.exit_code ?? -1, out_of_memory: seen.out_of_memory };
      void end(set, id);
    }
    const kept = [...set.containers].filter(([, { isEnding }]) => !isEnding);
    for (let count = kept.length; count < set.replicas; count++) await make(set);
    const leavingFirst = kept.toSorted(
      ([, a], [, b]) => Number(set.leaving.has(b.replica)) - Number(set.leaving.has(a.replica)),
    );
    for (const [id] of leavingFirst.slice(0, Math.max(0, kept.length - set.replicas))) void end(set, id);
  }

  const keeping = (async () => {
    while (!signal.aborted) {
      for (const set of sets.values()) await keep(set);
      await sleep(200, undefined, { signal }).catch(() => {}); // it stops
    }
  })();

  const printed = ({ name, revision_id, replicas, last_exit }: Held): ReplicaSet => ({
    name,
    revision_id,
    replicas,
    ...(last_exit && { last_exit }),
  });

  return {
    ...(has_scaler && { scalesItself: () => true }),
    deliver: async (image, ending) => await containers.deliver(image, ending),
    describe: async (described) => {
      const { name, revision_id } = described;
      const known = sets.get(name);
      if (known !== undefined) known.described = described;
      else {
        const empty = { replicas: 0, files: {}, leaving: new Set<string>(), containers: new Map<string, never>() };
        sets.set(name, { name, revision_id, described, ...empty });
      }
      return await Promise.resolve({ place: {}, artefacts: [] });
    },
    scale: async (name, { replicas, files, leaving }) => {
      const set = sets.get(name);
      if (set === undefined) return await Promise.resolve();
      set.replicas = replicas;
      set.files = files ?? set.files;
      for (const one of leaving ?? []) set.leaving.add(one);
      delete set.last_exit;
    },
    observe: async (name) => {
      const set = sets.get(name);
      return await Promise.resolve(set && printed(set));
    },
    remove: async (name) => {
      const set = sets.get(name);
      sets.delete(name);
      if (set === undefined) return;
      set.replicas = 0;
      await Promise.all([...set.containers.keys()].map(async (id) => await end(set, id)));
    },
    logs: async function* logs(name, replica, query) {
      for (const one of sets.get(name)?.containers.values() ?? [])
        if (one.replica === replica) yield* containers.logs(one.place, query);
    },
    outgoing: async () => await containers.outgoing(nowhere),
    room: async () => await containers.room(),
    list: async () => await Promise.resolve([...sets.values()].map(printed)),
    choose: (name, replicas) => {
      const set = sets.get(name);
      if (set === undefined) throw new Error(`there are no replicas ${name}`);
      set.replicas = replicas;
    },
    running: (name) =>
      [...(sets.get(name)?.containers.values() ?? [])].flatMap(({ isEnding, replica }) => (isEnding ? [] : [replica])),
    stop: async () => {
      stopping.abort();
      await keeping;
    },
  };
}

/** A place on the network that is not limited. */
const nowhere: Place = { container_name: '', container_id: '' };

const nameOf = (place: Place) => String(place['container_name']);
/** The engine names a host after the id of its container. */
const hostname = (place: Place) => String(place['container_id']).slice(0, 12);
