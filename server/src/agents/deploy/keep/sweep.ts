// Removes what a crash or a failed undo left: containers without an instance, what the ledger lists without one, and unneeded images. Each target
// has a loop of its own, so one without an answer does not delay the others.
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '@gantry/contract/agents/run-states.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { startLoop, type Loop } from '../../../ground/queue/loop.ts';
import { findRuns, isAnyActive } from '../../../ground/runs/run.ts';
import { pinnedImages } from '../../../assets/registry/tool-lists/hosted-images.ts';
import { releasePlace, releasePlacement } from '../release-place.ts';
import type { Needed } from '../build/build-image.ts';
import * as instanceStore from '../instance-store.ts';
import * as placementStore from '../placement-store.ts';
import type { DeployParts, TargetName } from '../parts.ts';
import * as store from '../store.ts';
import { collectOutside, type Outcome } from './collect-outside.ts';
import { startTargetLoops } from './target-loops.ts';
import type { Instance } from '../targets/target.ts';

export interface SweepSettings {
  /** The present answer of each target. */
  lists: ReadonlyMap<TargetName, readonly Instance[]>;
  every_ms: number;
  /** Until the first answer, and after a failure. */
  retry_ms: number;
  onError: (error: unknown) => void;
}

const prune_every_ms = 60 * 60_000;
/** `svc target test` makes a revision without a row, and removes it within this time. */
const least_age_ms = 10 * 60_000;

export function startSweep(
  parts: DeployParts,
  { lists, every_ms, retry_ms, onError }: SweepSettings,
): Pick<Loop, 'stop'> {
  const { db, builder } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let [pruned_at, agents_then] = [-Infinity, 0];

  async function sweepTarget(target: TargetName): Promise<boolean> {
    const found = lists.get(target);
    if (found === undefined) return await sleep(retry_ms, true, { signal });
    const { errors } = await collectTarget(parts, { target, found, age_ms: least_age_ms }, signal);
    for (const error of errors) onError(error);
    return false;
  }

  /** Once an hour, and at once after the delete of an agent. */
  async function pruneImages(): Promise<void> {
    const now = performance.now();
    const agents = await store.countAgents(db);
    agents_then = Math.max(agents_then, agents);
    if (agents === agents_then && now - pruned_at < prune_every_ms) return;
    if (await builder.prune(async () => await needed(db), signal)) [pruned_at, agents_then] = [now, agents];
  }

  const pauses = {
    pause_ms: every_ms,
    failed_pause_ms: retry_ms,
    onError: (error: unknown) => {
      if (!signal.aborted) onError(error);
    },
  };
  const loops = [startTargetLoops(parts.targets, sweepTarget, pauses), startLoop(pruneImages, pauses)];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops.map(async (loop) => await loop.stop()));
    },
  };
}

/** Also for `svc server gc`. `found` is what the target lists. */
export async function collectTarget(
  parts: Pick<DeployParts, 'db' | 'targets'>,
  { target, found, age_ms }: { target: TargetName; found: readonly Instance[]; age_ms: number },
  signal: AbortSignal,
): Promise<Outcome & { strangers: Instance[] }> {
  for (const { revision_id } of await placementStore.abandonedPlacements(parts.db, target))
    await releasePlacement(parts, revision_id, signal);
  const strangers = await strangersOf(parts.db, found);
  for (const one of strangers) await releasePlace(parts, { ...one, target }, signal);
  return { ...(await collectOutside(parts, { target, age_ms }, signal)), strangers };
}

/**
 * Containers without a running run or an instance, for example after the restore of an older database. The list is read first, so it has
 * nothing newer than the records. The runs come before the instances: a deploy that ended before its run was read has left its instances.
 */
async function strangersOf(db: Reader, found: readonly Instance[]): Promise<Instance[]> {
  const ids = found.map(({ revision_id }) => revision_id).filter((id) => id !== '');
  const running = (await findRuns(db, ids)).filter(({ state }) => !hasEnded(state));
  const under_way = new Set(running.map(({ id }) => id));
  const known = new Set((await instanceStore.instances(db)).map(({ id }) => id));
  return found.filter((one) => !known.has(one.instance_id) && !under_way.has(one.revision_id));
}

async function needed(db: Reader): Promise<Needed | undefined> {
  if (await isDeploying(db)) return undefined;
  const images = [...(await store.neededImages(db)), ...(await pinnedImages(db))];
  return { images: new Set(images), team_ids: await store.teamsWithAgents(db) };
}

/** No record has the needs of a running run. So a later round removes what is unneeded now. */
async function isDeploying(db: Reader): Promise<boolean> {
  for (const kind of ['push', 'deploy', 'rollback']) if (await isAnyActive(db, kind)) return true;
  return false;
}
