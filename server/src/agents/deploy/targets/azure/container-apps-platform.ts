// Agents on Azure Container Apps. A replica is a container app that always has one replica. It has no address and dials in. All names follow from the
// revision's, so that a killed run finds what it made. Never run against Azure (docs/decisions/0191).
import { LRUCache } from 'lru-cache';
import { Problem } from '@gantry/contract/problems.ts';
import { valuesOf } from '../mask.ts';
import { notLimited } from '../not-limited.ts';
import type { Ledger } from '../outside.ts';
import type { Platform, ReplicaSet } from '../replicas/platform.ts';
import type { Outgoing } from '../target.ts';
import type { App } from './app.ts';
import { appLogs } from './app-logs.ts';
import { ownApps } from './apps.ts';
import type { Azure } from './azure-client.ts';
import { describeRevision } from './describe.ts';
import { groupDrift } from './drift.ts';
import { descriptions, findDescription } from './made.ts';
import { lastExit, setsOf } from './observe.ts';
import { planOf } from './plan.ts';
import { removeRevision } from './remove.ts';
import { numberOf, type Planning } from './requests.ts';
import { scaleRevision } from './scale.ts';
import { earlierValues } from './secret-values.ts';

/** What each step of the platform works with. */
export interface AzureRun extends Planning {
  azure: Azure;
  /** Stores what is about to be made, and how replicas of a revision start. */
  ledger: Ledger;
  /** Of a revision. */
  sealingKey: (revision_id: string) => string;
}

export interface ContainerAppsParts extends AzureRun {
  outgoing: Outgoing;
  /** Pushes the built image. */
  push: (image: string, signal: AbortSignal) => Promise<{ digest: string; platform: string }>;
}

/** One question serves all who ask at once. */
const known_ms = 1500;
/** A workspace has few questions for all who ask. */
const exit_ms = 6000;

export function containerAppsPlatform({ outgoing, push, ...run }: ContainerAppsParts): Platform {
  const { settings } = run;
  const seen = new LRUCache<'apps', Promise<App[]>>({ max: 1, ttl: known_ms });
  const exits = new LRUCache<string, Promise<ReplicaSet['last_exit']>>({ max: 1000, ttl: exit_ms });
  const apps = async () => await once(seen, 'apps', async () => await ownApps(run));
  const changed = (name: string) => {
    seen.clear();
    exits.delete(name);
  };
  const sets = async () => setsOf(await descriptions(run), await apps());
  return {
    limits_egress: false,
    plan: (planned) => planOf(planned, run),

    async deliver(image, signal) {
      const { digest, platform } = await push(image, signal);
      if (platform !== 'linux/amd64')
        throw new Problem('start_failed', {
          detail: `The image is for ${platform}, and this target runs linux/amd64.`,
        });
      const { host, pathname } = new URL(settings.registry);
      return `${host}${pathname.replace(/\/$/, '')}@${digest}`;
    },

    async describe(described) {
      if (described.egress !== undefined) throw notLimited();
      await describeRevision(run, described);
      const { requests } = planOf({ ...described, scaling: { min: 1, max: 1 }, secrets: [], files: {} }, run);
      const content = `${JSON.stringify({ requests }, null, 2)}\n`;
      return { place: {}, artefacts: [{ file: 'container-apps.json', content }] };
    },

    async scale(name, to, signal) {
      try {
        await scaleRevision(run, { name, ...to }, signal);
      } finally {
        changed(name);
      }
    },

    async observe(name) {
      const set = (await sets()).find((one) => one.name === name);
      if (set === undefined || set.replicas === 0) return set;
      const found = await apps();
      const last_exit = await once(exits, name, async () => await lastExit(run, { name, apps: found }));
      return last_exit === undefined ? set : { ...set, last_exit };
    },

    async remove(name, signal) {
      await removeRevision(run, name, signal);
      changed(name);
    },

    logs: async function* logs(name, replica, { secrets, ...query }) {
      if (numberOf(name, replica) === undefined) return;
      const described = await findDescription(run, name);
      if (described === undefined) return;
      const { revision_id } = described;
      const hasEnded = async () => !(await apps()).some((one) => one.name === replica);
      const names = Object.keys(secrets);
      const delivered = await earlierValues(run, { id: replica, revision_id, names }, query.signal);
      yield* appLogs({ run, id: replica, hasEnded }, query, valuesOf(secrets, delivered));
    },

    drift: async (told, signal) => await groupDrift(run, told, signal),

    outgoing: async () => await Promise.resolve(outgoing),

    // Quotas of a subscription limit processors, and its owner raises them. Azure refuses a replica beyond them.
    room: async () => await Promise.resolve({ memory_bytes: Number.MAX_SAFE_INTEGER, used_bytes: 0 }),

    list: sets,
  };
}

/** A failure is not kept. Its caller has it. */
async function once<K extends string, T>(known: LRUCache<K, Promise<T>>, key: K, ask: () => Promise<T>): Promise<T> {
  const before = known.get(key);
  if (before !== undefined) return await before;
  const now = ask();
  known.set(key, now);
  now.catch(() => known.delete(key));
  return await now;
}
