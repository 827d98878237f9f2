// A target of a platform that makes replicas by itself (docs/decisions/0130). Elsewhere an instance is a container that the service has made.
// Here the service asks for one replica more, and the next process that joins at the door becomes the instance (dial-in/join.ts). So deploys, the
// keeper and the operations see instances as on every target.
import { z } from 'zod';
import type { Database } from '../../../../ground/database/database.ts';
import { dialledUrl, type Dialled } from '../../dial-in/dialled.ts';
import * as replicaStore from '../../replica-store.ts';
import * as resourceStore from '../../resource-store.ts';
import type { Ledger, OutsideResource } from '../outside.ts';
import type { Instance, Place, Planned, SecretFiles, Target } from '../target.ts';
import type { Platform, ReplicaSet } from './platform.ts';

export interface ReplicaParts {
  db: Database;
  /** Undefined in a process that cannot get the connections. It deploys nothing to such a target. */
  dialled?: Dialled | undefined;
}

/** Of one target. */
export interface OwnReplicaParts extends ReplicaParts {
  ledger: Ledger;
}

const replicaPlace = z.object({
  instance_id: z.string(),
  revision_id: z.string(),
  /** Of the description at the platform. */
  name: z.string(),
  of_platform: z.record(z.string(), z.unknown()),
});
type ReplicaPlace = z.output<typeof replicaPlace>;

type Told = Pick<ReplicaPlace, 'instance_id' | 'revision_id' | 'name'> & Partial<Pick<ReplicaPlace, 'of_platform'>>;

interface Ask {
  is_asked: boolean;
  files?: SecretFiles;
  leaving?: string[];
}

export function replicaTarget(platform: Platform, { db, dialled, ledger }: OwnReplicaParts): Target {
  // One after the other for each revision, so that an earlier number never follows a later one.
  const telling = new Map<string, Promise<void>>();
  const tell = async (
    { instance_id, revision_id, name, of_platform }: Told,
    { is_asked, ...more }: Ask,
    signal?: AbortSignal,
  ) => {
    // Stored first: after a crash, the repeated step tells the same number.
    const is_new = await replicaStore.setAsked(db, instance_id, is_asked);
    const asked = await replicaStore.countAsked(db, revision_id);
    const is_scaled = of_platform !== undefined && platform.scalesItself?.(of_platform) === true;
    const kept = is_scaled ? (await platform.observe(name, signal))?.replicas : undefined;
    const replicas = kept === undefined ? asked : besideScaler({ asked, kept, is_asked, is_new });
    await platform.scale(name, { replicas, ...more }, signal);
  };
  const ask = async (told: Told, wish: Ask, signal?: AbortSignal) => {
    const before = telling.get(told.revision_id);
    const now = (async () => {
      await before?.catch(() => {}); // its own caller has the failure
      await tell(told, wish, signal);
    })();
    telling.set(told.revision_id, now);
    await now.finally(() => {
      if (telling.get(told.revision_id) === now) telling.delete(told.revision_id);
    });
  };

  const observed = async (
    place: ReplicaPlace,
    row: replicaStore.ReplicaRow | undefined,
    set: ReplicaSet | undefined,
  ): Promise<Instance> => {
    if (set === undefined || row === undefined) return gone;
    const { instance_id, revision_id, name } = place;
    const instance = { place, instance_id, revision_id, name: row.replica ?? name, out_of_memory: false };
    if (!row.is_asked) return { ...instance, state: 'exited' };
    if (row.process_hash !== null && (await dialled?.isHere(instance_id, row.process_hash)) === true)
      return { ...instance, ...set.last_exit, state: 'running', url: dialledUrl(instance_id, row.process_hash) };
    return set.last_exit === undefined
      ? {
          ...instance,
          state: 'created',
          ...(set.obstacle !== undefined && { obstacle: set.obstacle }),
          ...(set.not_limited === true && { not_limited: true }),
        }
      : { ...instance, state: 'exited', ...set.last_exit };
  };
  const observe = async (place: Place, signal?: AbortSignal) => {
    const known = replicaPlace.parse(place);
    const set = await platform.observe(known.name, signal);
    return await observed(known, await replicaStore.replica(db, known.instance_id), set);
  };

  const planSet = platform.plan?.bind(platform);

  return {
    dials_in: 'as one of many',
    ...(platform.isolations !== undefined && { isolations: platform.isolations }),
    ...(platform.limits_egress === false && { limits_egress: false }),
    ...(planSet !== undefined && {
      plan: (planned: Planned) => planSet({ ...planned, name: setName(planned.name) }),
    }),
    deliver: async (image, signal) => await platform.deliver(image, signal),
    reach: async (_, url) => ({ url, headers: {} }),
    outgoing: async (place) => await platform.outgoing(replicaPlace.parse(place).of_platform),

    async provision({ instance_id, ...input }, signal) {
      const name = setName(input.name);
      const { place: of_platform, artefacts } = await platform.describe({ ...input, name }, signal);
      return { place: { instance_id, revision_id: input.revision_id, name, of_platform }, artefacts };
    },

    async start(place, files, signal) {
      await ask(replicaPlace.parse(place), { is_asked: true, files }, signal);
      return await observe(place, signal);
    },

    observe,

    async signalDrain() {
      throw new Error('every replica has a wrapper with a route for its drain');
    },

    async stop(place, _, signal) {
      const known = replicaPlace.parse(place);
      const row = await replicaStore.replica(db, known.instance_id);
      if (row?.is_asked !== true) return;
      await ask(known, { is_asked: false, ...(row.replica !== null && { leaving: [row.replica] }) }, signal);
      await replicaStore.letGo(db, known.instance_id);
      await dialled?.drop(known.instance_id);
    },

    async release({ place, instance_id, name: placed_as }, signal) {
      await dialled?.drop(instance_id);
      const name = place === null ? setName(placed_as) : replicaPlace.parse(place).name;
      const set = await platform.observe(name, signal);
      const revision_id = set?.revision_id ?? (await recordedRevision(ledger, name));
      if (revision_id === undefined) return;
      // A sweep may name an instance that has just ended. Its description stays for the others.
      if (!(await replicaStore.hasOthers(db, { instance_id, revision_id }))) return await platform.remove(name, signal);
      const row = await replicaStore.replica(db, instance_id);
      const { of_platform } = place === null ? {} : replicaPlace.parse(place);
      const told = { instance_id, revision_id, name, ...(of_platform !== undefined && { of_platform }) };
      if (row?.is_asked === true) await ask(told, { is_asked: false }, signal);
    },

    logs: async function* logs(place, query) {
      const { name, instance_id } = replicaPlace.parse(place);
      const row = await replicaStore.replica(db, instance_id);
      if (row !== undefined && row.replica !== null) yield* platform.logs(name, row.replica, query);
    },

    ...driftOf(platform, { db, ledger }),

    room: async (signal) => await platform.room(signal),

    async list(signal) {
      const sets = await platform.list(signal);
      const rows = await replicaStore.replicasOf(
        db,
        sets.map(({ revision_id }) => revision_id),
      );
      const of = Map.groupBy(rows, ({ revision_id }) => revision_id);
      const instances = sets.map(async (set) => {
        const { name, revision_id } = set;
        const placed = (of.get(revision_id) ?? []).flatMap((row) => (row.place === null ? [] : [row]));
        // Without an instance, as after the restore of an older database.
        const place = { instance_id: '', revision_id, name, of_platform: {} };
        if (placed.length === 0) return [{ ...gone, place, revision_id, name, state: 'created' as const }];
        return await Promise.all(placed.map(async (row) => await observed(replicaPlace.parse(row.place), row, set)));
      });
      return (await Promise.all(instances)).flat();
    },

    ...(platform.scalesItself !== undefined && {
      scalesItself: (place: Place) => platform.scalesItself?.(replicaPlace.parse(place).of_platform) === true,
      async hasRemoved(place: Place, signal: AbortSignal) {
        const { revision_id, name } = replicaPlace.parse(place);
        const set = await platform.observe(name, signal);
        return set !== undefined && set.replicas < (await replicaStore.countAsked(db, revision_id));
      },
    }),
  };
}

const gone: Instance = {
  place: {},
  instance_id: '',
  revision_id: '',
  name: '',
  state: 'gone',
  out_of_memory: false,
};

/**
 * A scaler of the platform has the last word. A new wish never lowers its number. An end never raises it. A repeated wish changes nothing. Without
 * any replica it cannot scale.
 */
function besideScaler(of: { asked: number; kept: number; is_asked: boolean; is_new: boolean }): number {
  const { asked, kept, is_asked, is_new } = of;
  if (!is_asked) return Math.min(asked, kept);
  return is_new || kept === 0 ? Math.max(asked, kept) : kept;
}

const scales = (platform: Platform, { of_platform }: Pick<ReplicaPlace, 'of_platform'>) =>
  platform.scalesItself?.(of_platform) === true;

function driftOf(
  platform: Platform,
  { db, ledger }: Pick<OwnReplicaParts, 'db' | 'ledger'>,
): Pick<Target, 'drift' | 'removeForeign'> {
  if (platform.drift === undefined) return {};
  const look = async (signal: AbortSignal) => {
    const ids = (await ledger.list()).flatMap(({ revision_id }) => revision_id ?? []);
    const of = [...new Set(ids)];
    const rows = await replicaStore.askedOf(db, of);
    const replicas = await replicaStore.replicasOf(db, of);
    const scaled = replicas.filter(({ place }) => place !== null && scales(platform, replicaPlace.parse(place)));
    const by_platform = new Set(scaled.map(({ revision_id }) => revision_id));
    const told = new Map(
      rows.map(({ revision_id, asked }) => [revision_id, by_platform.has(revision_id) ? undefined : asked]),
    );
    const found = (await platform.drift?.(told, signal)) ?? [];
    const recorded = await resourceStore.openWithNames(
      db,
      found.map(({ name }) => name),
    );
    const isKnown = ({ kind, name }: OutsideResource) => recorded.some((one) => one.kind === kind && one.name === name);
    // What another target of the same place has made is not foreign.
    return found.filter((one) => one.what !== 'foreign' || !isKnown(one));
  };
  return {
    drift: async (signal) => (await look(signal)).map(({ of: _, ...one }) => one),
    async removeForeign(signal) {
      const removed: OutsideResource[] = [];
      for (const { of, kind, name, what } of await look(signal)) {
        // A part of a description that the ledger knows would take the others with it.
        if (what !== 'foreign' || (await recordedRevision(ledger, of)) !== undefined) continue;
        await platform.remove(of, signal);
        removed.push({ kind, name });
      }
      return removed;
    },
  };
}

/** Of a description of which something was recorded that may still be there, for example after a crash between two calls. */
async function recordedRevision(ledger: Ledger, name: string): Promise<string | undefined> {
  const open = await ledger.list();
  const found = open.find(({ revision_id }) => revision_id !== null && name.endsWith(`-${revision_id.slice(0, 8)}`));
  return found?.revision_id ?? undefined;
}

/** The name of an instance without its number. */
const setName = (name: string) => name.replace(/-\d+$/, '');
