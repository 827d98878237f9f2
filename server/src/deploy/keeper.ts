// Keeps the containers in the state of the routes, at the service's start and every two seconds. A dead container is restarted with new
// secret files. The waits between restarts grow up to five minutes. A hanging container is killed and restarted in the same way. A ready
// container hangs when three successive looks get no answer from /health within five seconds. Agent code that blocks does not stop /health.
// After a transfer a container is restarted for its new gateway key, because its former one has ended.
// A replaced container finishes its calls and is removed. An unknown container is removed. The keeper touches only containers with this
// installation's id, because targets/ lists no others.
import { Problem } from '@gantry/contract/problems.ts';
import { hasEnded } from '@gantry/contract/run-states.ts';
import { startLoop, type Loop } from '../queue/loop.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';
import { findRuns, isAnyActive } from '../runs/run.ts';
import { requireSecrets } from '../secrets/delivery.ts';
import { holdIfFree } from './agent-lock.ts';
import { namesOfArtefacts, releasePlace, removeArtefacts } from './artefacts.ts';
import { drainOut } from './drain-out.ts';
import type { Needed } from './build-image.ts';
import { look, unseen, type Look } from './condition.ts';
import { countSilences, type Silences } from './silences.ts';
import type { DeployParts } from './parts.ts';
import { restartContainer } from './restart-container.ts';
import * as store from './store.ts';
import { stopGraceSeconds } from './targets/stop-grace.ts';

export type Keeper = Pick<Loop, 'stop'>;

export interface KeeperSettings {
  onError: (error: unknown) => void;
  look_every_ms?: number;
  /** The interval between searches for containers and images without an owner. */
  sweep_every_ms?: number;
}

// A third of `unknown_after_seconds` (condition.ts).
const confirm_every_ms = 10_000;
const prune_every_ms = 60 * 60_000;
// After this time without a crash, the container's failures are forgotten.
const steady_seconds = 60;

export function startKeeper(
  parts: DeployParts,
  { onError, look_every_ms = 2000, sweep_every_ms = 15_000 }: KeeperSettings,
): Keeper {
  const stopping = new AbortController();
  const { signal } = stopping;
  const busy = new Map<string, Promise<void>>();
  const keeping: Keeping = { parts, silences: countSilences(), unchanged: new Map() };

  let confirmed_at = -Infinity;
  let [swept_at, pruned_at, agents_then] = [-Infinity, -Infinity, 0];
  const loop = startLoop(
    async () => {
      await lookAtAll();
      await confirm();
      if (performance.now() - swept_at < sweep_every_ms) return;
      await sweep(parts, signal);
      swept_at = performance.now();
      // A deleted agent's images and caches are removed at once.
      const agents = await store.countAgents(parts.db);
      agents_then = Math.max(agents_then, agents);
      if (agents === agents_then && swept_at - pruned_at < prune_every_ms) return;
      if (await parts.builder.prune(async () => await needed(parts), signal))
        [pruned_at, agents_then] = [swept_at, agents];
    },
    { pause_ms: look_every_ms, failed_pause_ms: look_every_ms, onError: report },
  );

  async function lookAtAll(): Promise<void> {
    await store.forgetFailures(parts.db, steady_seconds);
    const instances = await store.instances(parts.db);
    for (const [agent_id, rows] of Map.groupBy(instances, (row) => row.agent_id)) {
      if (busy.has(agent_id)) continue;
      const looking = keepAgent(rows).finally(() => busy.delete(agent_id));
      busy.set(agent_id, looking);
    }
  }

  async function confirm(): Promise<void> {
    const now = performance.now();
    if (keeping.unchanged.size === 0 || now - confirmed_at < confirm_every_ms) return;
    confirmed_at = now;
    const looks = [...keeping.unchanged].map(([revision_id, { in_flight, at }]) => ({
      revision_id,
      in_flight,
      seconds_ago: (now - at) / 1000,
    }));
    keeping.unchanged.clear();
    await store.setSeenAgain(parts.db, looks);
  }

  // One after the other, because each holds the agent. The serving container comes first, because a drain may take an hour.
  async function keepAgent(rows: readonly store.InstanceRow[]): Promise<void> {
    const [serving, draining] = [
      rows.filter((row) => row.desired !== null),
      rows.filter((row) => row.desired === null),
    ];
    for (const { revision_id } of [...serving, ...draining]) await keep(keeping, revision_id, signal).catch(report);
  }

  // A failed start is in the agent's status. Only unexpected errors go to the service's log.
  function report(error: unknown): void {
    if (!signal.aborted && !(error instanceof Problem)) onError(error);
  }

  return {
    stop: async () => {
      stopping.abort();
      await loop.stop();
      await Promise.all(busy.values());
    },
  };
}

interface Keeping {
  parts: DeployParts;
  silences: Silences;
  /** Looks since the last confirmation that found no change. */
  unchanged: Map<string, { in_flight: number | null; at: number }>;
}

async function keep(keeping: Keeping, revision_id: string, stopping: AbortSignal): Promise<void> {
  const { parts } = keeping;
  const row = await store.instance(parts.db, revision_id);
  if (row === undefined) return;
  await holdIfFree(row.agent_id, stopping, async (signal) => {
    // The earlier holder of the agent may have changed the row.
    const now = await store.instance(parts.db, revision_id);
    if (now === undefined) return;
    if (now.seconds_draining !== null || now.desired === null) return await drainOut(parts, now, signal);
    if (now.desired === 'running') return await keepRunning(keeping, now, signal);
    const target = parts.targets[now.place.target];
    const seen = await target.observe(now.place, signal);
    if (seen.state === 'running') await target.stop(now.place, { grace_seconds: stopGraceSeconds }, signal);
  });
}

async function keepRunning(keeping: Keeping, row: store.InstanceRow, signal: AbortSignal): Promise<void> {
  const { parts, silences } = keeping;
  const { seen, health } = await lookAndNote(keeping, row, signal);
  const serves = seen.state === 'running' && seen.url === row.url;
  const isHung = serves && silences.areTooMany(row, health);
  const { has_former_key } = row;
  // A container that is not serving is restarted only when it is due.
  if ((serves && !isHung && !has_former_key) || !row.is_due) return;
  if (!serves) return await restartContainer(parts, row, seen, signal);
  const target = parts.targets[row.place.target];
  if (!isHung) await requireSecretsOf(parts, row);
  await target.stop(row.place, { grace_seconds: isHung ? 0 : stopGraceSeconds }, signal);
  silences.forget(row);
  const why = isHung ? silences.why : 'It gets the gateway key of its new team.';
  await restartContainer(parts, row, await target.observe(row.place, signal), signal, why);
}

/** Before a stop that can wait: an agent that lost the secrets of its former team keeps running. */
async function requireSecretsOf({ db }: DeployParts, { revision_id, agent_id }: store.InstanceRow): Promise<void> {
  const revision = await store.revision(db, revision_id);
  if (revision === undefined) throw new Error(`revision ${revision_id} is gone`);
  await requireSecrets(db, { agent_id, config: await loadAgentConfig(db, revision.version_id) });
}

async function lookAndNote(keeping: Keeping, row: store.InstanceRow, signal: AbortSignal): Promise<Look> {
  try {
    const looked = await look(keeping.parts, row, signal);
    await note(keeping, row, looked.found);
    return looked;
  } catch (error) {
    if (error instanceof Problem) await note(keeping, row, unseen(error));
    throw error;
  }
}

/** Stores a change at once. Unchanged conditions are confirmed later, in one statement. */
async function note({ parts, unchanged }: Keeping, row: store.InstanceRow, found: store.Seen): Promise<void> {
  const { revision_id, state, detail, seen_at } = row;
  if (found.state === state && found.detail === detail && seen_at !== null)
    return void unchanged.set(revision_id, { in_flight: found.in_flight, at: performance.now() });
  await store.setSeen(parts.db, revision_id, found);
}

/**
 * Removes this installation's containers without a revision or a running run. A crash or a failed undo left them. Also removes the files of
 * containers that another process removed.
 */
async function sweep(parts: DeployParts, signal: AbortSignal): Promise<void> {
  const { db } = parts;
  // A container precedes its files, so each of these has or had one.
  const artefacts = new Set(await namesOfArtefacts(parts));
  for (const target of Object.values(parts.targets)) {
    // The list is read before the records, so it has no newer containers.
    const found = await target.list(signal);
    const ids = found.map(({ revision_id }) => revision_id).filter((id) => id !== '');
    const instances = await store.instances(db);
    const known = new Set(instances.map(({ revision_id }) => revision_id));
    for (const { place } of [...found, ...instances]) artefacts.delete(place.container_name);
    const runs = new Map((await findRuns(db, ids)).map((run) => [run.id, run]));
    const isUnderWay = (id: string) => {
      const run = runs.get(id);
      return run !== undefined && !hasEnded(run.state);
    };
    for (const { revision_id, place } of found) {
      if (!known.has(revision_id) && !isUnderWay(revision_id)) await releasePlace(parts, place, signal);
    }
  }
  for (const name of artefacts) await removeArtefacts(parts, name);
}

// No record has the needs of a running run. So the result is undefined during a run, and a later round tries again.
async function needed({ db }: DeployParts): Promise<Needed | undefined> {
  if ((await isAnyActive(db, 'deploy')) || (await isAnyActive(db, 'push'))) return undefined;
  return { images: await store.neededImages(db), team_ids: await store.teamsWithAgents(db) };
}
