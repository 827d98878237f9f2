// Agents on Cloud Run. A replica is a worker pool with one instance, which Cloud Run keeps running. It has no address and dials in. All names follow
// from the revision's, so that a killed run finds what it made. Never run against Google (docs/decisions/0184).
import { LRUCache } from 'lru-cache';
import { Problem } from '@gantry/contract/problems.ts';
import { valuesOf } from '../mask.ts';
import { notLimited } from '../not-limited.ts';
import type { Ledger } from '../outside.ts';
import type { Platform, ReplicaSet } from '../replicas/platform.ts';
import type { Outgoing } from '../target.ts';
import { describeRevision } from './describe.ts';
import { projectDrift } from './drift.ts';
import type { Google } from './google.ts';
import { lastExit, setOf } from './observe.ts';
import { planOf } from './plan.ts';
import { idOf, type Pool } from './pool.ts';
import { poolLogs } from './pool-logs.ts';
import { describes, ownPools } from './pools.ts';
import { removeRevision } from './remove.ts';
import { numberOf, pool_label, type Planning } from './requests.ts';
import { scaleRevision } from './scale.ts';
import { earlierValues } from './secret-values.ts';

/** What each step of the platform works with. */
export interface CloudRun extends Planning {
  google: Google;
  /** Stores what is about to be made. */
  ledger: Ledger;
  /** Of a revision. */
  sealingKey: (revision_id: string) => string;
}

export interface CloudRunParts extends CloudRun {
  outgoing: Outgoing;
  /** Pushes the built image. */
  push: (image: string, signal: AbortSignal) => Promise<{ digest: string; platform: string }>;
}

/** One question serves all who ask at once. */
const known_ms = 1500;
/** A project has 60 reads a minute for all logs. */
const exit_ms = 6000;

export function cloudRunPlatform({ outgoing, push, ...run }: CloudRunParts): Platform {
  const { settings } = run;
  const seen = new LRUCache<'pools', Promise<Pool[]>>({ max: 1, ttl: known_ms });
  const exits = new LRUCache<string, Promise<ReplicaSet['last_exit']>>({ max: 1000, ttl: exit_ms });
  const pools = async () => await once(seen, 'pools', async () => await ownPools(run));
  const changed = (name: string) => {
    seen.clear();
    exits.delete(name);
  };
  const observe = async (name: string) => {
    const found = await pools();
    const set = setOf(name, found);
    if (set === undefined || set.replicas === 0) return set;
    const last_exit = await once(exits, name, async () => await lastExit(run, { name, pools: found }));
    return last_exit === undefined ? set : { ...set, last_exit };
  };
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

    async describe(described, signal) {
      if (described.egress !== undefined) throw notLimited();
      await describeRevision(run, described, signal);
      changed(described.name);
      const { requests } = planOf({ ...described, scaling: { min: 1, max: 1 }, secrets: [], files: {} }, run);
      const content = `${JSON.stringify({ requests }, null, 2)}\n`;
      return { place: {}, artefacts: [{ file: 'cloud-run.json', content }] };
    },

    async scale(name, to, signal) {
      try {
        await scaleRevision(run, { name, ...to }, signal);
      } finally {
        changed(name);
      }
    },

    observe,

    async remove(name, signal) {
      await removeRevision(run, name, signal);
      changed(name);
    },

    logs: async function* logs(name, replica, { secrets, ...query }) {
      if (numberOf(name, replica) === undefined) return;
      const described = (await pools()).find((pool) => describes(pool) === name);
      if (described === undefined) return;
      const revision_id = described.labels[pool_label.revision] ?? '';
      const hasEnded = async () => !(await pools()).some((pool) => idOf(pool) === replica);
      const delivered = await earlierValues(run, { name, revision_id, names: Object.keys(secrets) }, query.signal);
      yield* poolLogs({ run, id: replica, hasEnded }, query, valuesOf(secrets, delivered));
    },

    drift: async (told, signal) => await projectDrift(run, told, signal),

    outgoing: async () => await Promise.resolve(outgoing),

    // Quotas of a project limit processors, and its owner raises them. Cloud Run refuses a replica beyond them.
    room: async () => await Promise.resolve({ memory_bytes: Number.MAX_SAFE_INTEGER, used_bytes: 0 }),

    async list() {
      const found = await pools();
      return found.flatMap((pool) => {
        const name = describes(pool);
        const set = name === undefined ? undefined : setOf(name, found);
        return set === undefined ? [] : [set];
      });
    },
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
