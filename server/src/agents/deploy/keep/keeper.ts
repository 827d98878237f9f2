// Keeps the containers in the state of the routes, at the service's start and every 1.5 seconds. A dead container is restarted with new
// secret files. The waits between restarts grow up to five minutes. A hanging container is killed and restarted in the same way. A ready
// container hangs when three successive looks get no answer from /health within five seconds. Agent code that blocks does not stop /health.
// After a transfer a container is restarted for its new gateway key, because its former one has ended.
// With several services, each agent has one keeper (agent-leases.ts). One list of the target a turn shows all containers.
// A replaced container finishes its calls and is removed. An unknown container is removed. The keeper touches only containers with this
// installation's id, because targets/ lists no others.
import { Problem } from '@gantry/contract/problems.ts';
import type { Loop } from '../../../ground/queue/loop.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { requireSecrets } from '../../../assets/secrets/delivery.ts';
import { drainOut } from './drain-out.ts';
import type { Lease } from './agent-leases.ts';
import { autoscale, type ScalingMemory } from './autoscale.ts';
import { askAgent, observe } from './condition.ts';
import { alertCrashLoop, endCrashLoops } from './crash-loop.ts';
import { idleness, type Idleness } from './idleness.ts';
import { endInstance } from './end-instance.ts';
import type { Health } from './health.ts';
import { startDriftLooks, type Looking } from './note-drift.ts';
import { endOf, noteEnd } from './note-end.ts';
import { openCalls, type OpenCalls } from './open-calls.ts';
import { processorUse, type ProcessorUse } from './processor-use.ts';
import { countSilences, type Silences } from './silences.ts';
import { startSweep } from './sweep.ts';
import { startTargetLoops } from './target-loops.ts';
import { deployMutex } from '../deploy-run.ts';
import type { DeployParts, TargetName } from '../parts.ts';
import { startAgain } from './start-again.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';
import { stopGraceSeconds } from '../targets/stop-grace.ts';
import type { Instance, Target } from '../targets/target.ts';

export type Keeper = Pick<Loop, 'stop'>;

export interface KeeperSettings {
  onError: (error: unknown) => void;
  look_every_ms?: number;
  /** The shortest time without an answer of a container that hangs. */
  hung_after_ms?: number;
  /** The interval between searches for containers and images without an owner. */
  sweep_every_ms?: number;
  /** How often a target is compared with what was described there. */
  drift?: Looking;
}

// A third of `unknown_after_seconds` (condition.ts).
const confirm_every_ms = 10_000;
// After this time without a crash, the container's failures are forgotten.
const steady_seconds = 60;
// On each target. After a reboot, the first agents answer early and the calls to them have processors.
const max_starts_at_once = 4;

export function startKeeper(
  parts: DeployParts,
  { onError, look_every_ms = 1500, hung_after_ms, sweep_every_ms = 15_000, drift }: KeeperSettings,
): Keeper {
  const stopping = new AbortController();
  const { signal } = stopping;
  const busy = new Map<string, Promise<void>>();
  const lists = new Map<TargetName, Instance[]>();
  const keeping: Keeping = {
    parts,
    silences: countSilences(hung_after_ms),
    unchanged: new Map(),
    use: processorUse(),
    idle: idleness(),
    open: openCalls(),
    memory: new Map(),
    starting: new Map(),
  };
  let confirmed_at = -Infinity;
  const turning = startTargetLoops(parts.targets, takeTurn, {
    pause_ms: look_every_ms,
    failed_pause_ms: look_every_ms,
    onError: report,
  });
  const listening = parts.db.listen(store.wake_channel, turning.wake);
  listening.catch(report); // a turn finds the planned instances, only later
  // Apart from the turns: it may take longer than a lease.
  const sweeping = startSweep(parts, { lists, every_ms: sweep_every_ms, retry_ms: look_every_ms, onError: report });
  const looking = startDriftLooks(parts, { ...drift, onError: report });

  const agentsOn = (name: TargetName, rows: readonly instanceStore.InstanceRow[]) =>
    Map.groupBy(
      rows.filter(({ target }) => target === name),
      deployMutex,
    );

  /** The containers and the addresses for calls stay. */
  async function loseSight(name: TargetName): Promise<void> {
    lists.delete(name);
    parts.leases.unanswered(name);
    for (const [key, rows] of agentsOn(name, await instanceStore.instances(parts.db)))
      await parts.leases.ifFree(key, signal, async () => {
        for (const { id } of rows) await instanceStore.setUnseen(parts.db, id);
      });
  }

  /** Without an answer of the target the conditions are unknown, and the leases of its agents end. */
  async function takeTurn(name: TargetName): Promise<void> {
    const target = await parts.targets.find(name);
    const found = await target.list(signal).catch(async (error: unknown) => {
      if (!signal.aborted) await loseSight(name);
      throw error;
    });
    lists.set(name, found);
    await instanceStore.forgetFailures(parts.db, steady_seconds);
    await endCrashLoops(parts.db);
    const rows = await instanceStore.instances(parts.db);
    const ids = new Set(rows.map(({ id }) => id));
    keeping.use.keepOnly(ids);
    keeping.idle.keepOnly(ids);
    keeping.open.keepOnly(ids);
    const agents = agentsOn(name, rows);
    await parts.leases.share(name, [...agents.keys()]);
    for (const [key, some] of agents) {
      if (busy.has(key)) continue;
      const looking = keepAgent(some, { target, found }).finally(() => busy.delete(key));
      busy.set(key, looking);
    }
    await confirm();
  }

  async function confirm(): Promise<void> {
    const now = performance.now();
    if (keeping.unchanged.size === 0 || now - confirmed_at < confirm_every_ms) return;
    confirmed_at = now;
    const looks = [...keeping.unchanged].map(([id, { in_flight, at }]) => ({
      id,
      in_flight,
      seconds_ago: (now - at) / 1000,
    }));
    keeping.unchanged.clear();
    await instanceStore.setSeenAgain(parts.db, looks);
  }

  // One after the other, because each holds the agent. The serving container comes first, because a drain may take an hour.
  async function keepAgent(
    rows: readonly instanceStore.InstanceRow[],
    { target, found }: { target: Target; found: readonly Instance[] },
  ): Promise<void> {
    const [serving, draining] = [
      rows.filter((row) => row.desired !== null),
      rows.filter((row) => row.desired === null),
    ];
    const keepAll = async (some: readonly instanceStore.InstanceRow[]) => {
      for (const row of some) {
        const listed = found.find(({ instance_id }) => instance_id === row.id);
        await keep(keeping, { row, listed }, signal).catch(report);
      }
    };
    await keepAll(serving);
    const [first] = serving;
    // A scaler of the target needs none beside it.
    if (first?.desired === 'running' && !isScaledByTarget(target, first))
      await parts.leases
        .ifFree(
          deployMutex(first),
          signal,
          async (lease) => await autoscale(parts, { ...keeping, rows: serving }, lease),
        )
        .catch(report);
    await keepAll(draining);
  }

  // A failed start is in the agent's status. Only unexpected errors go to the service's log.
  function report(error: unknown): void {
    if (!signal.aborted && !(error instanceof Problem)) onError(error);
  }

  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([turning, sweeping, looking].map(async (loop) => await loop.stop()));
      await (await listening.catch(() => undefined))?.close(); // reported above
      await Promise.all(busy.values());
    },
  };
}

interface Keeping {
  parts: DeployParts;
  silences: Silences;
  /** Looks since the last confirmation that found no change. */
  unchanged: Map<string, { in_flight: number | null; at: number }>;
  use: ProcessorUse;
  idle: Idleness;
  open: OpenCalls;
  memory: ScalingMemory;
  /** The target of each instance that the keeper starts now. */
  starting: Map<string, TargetName>;
}

interface Listed {
  row: instanceStore.InstanceRow;
  /** From the list of this turn. */
  listed: Instance | undefined;
}

async function keep(keeping: Keeping, { row, listed }: Listed, stopping: AbortSignal): Promise<void> {
  const { parts } = keeping;
  await parts.leases.ifFree(deployMutex(row), stopping, async (lease) => {
    // The earlier holder of the agent may have changed the row.
    const now = await instanceStore.instance(parts.db, row.id);
    if (now === undefined) return;
    if (now.seconds_draining !== null || now.desired === null) return await drainOut(parts, now, lease.signal);
    if (now.desired === 'running') return await keepRunning(keeping, { row: now, listed }, lease);
    if (listed?.state !== 'running') return;
    const target = await parts.targets.find(now.target);
    const seen = await observe(target, now.place, lease.signal);
    if (seen.state === 'running') await target.stop(seen.place, { grace_seconds: stopGraceSeconds }, lease.signal);
  });
}

async function keepRunning(keeping: Keeping, { row, listed }: Listed, lease: Lease): Promise<void> {
  const { parts, silences, starting } = keeping;
  const { signal } = lease;
  // From a process that died in the midst of it.
  if (row.rebuilding_since !== null) await instanceStore.setRebuilding(parts.db, row.revision_id, false);
  const target = await parts.targets.find(row.target);
  // The list is from the start of the turn. Before a restart, the target is asked again.
  const { place } = row;
  const isServing = place !== null && listed?.state === 'running' && listed.url === row.url;
  const known = isServing ? { ...listed, place } : await observe(target, place, signal);
  const { seen, health, found } = await askAgent(parts, row, known, signal);
  await note(keeping, row, found);
  keeping.use.note(row.id, health);
  keeping.idle.note(row.id, health);
  keeping.open.note(row.id, health);
  const serves = seen.state === 'running' && seen.url === row.url;
  const isHung = serves && silences.areTooMany(row, health);
  if (!serves && (await noteEnd(parts.db, row, endOf(seen)))) await alertCrashLoop(parts.db, row);
  if (await hasLeft(parts, target, { row, seen, health }, lease)) return;
  const { has_former_key } = row;
  // A container that is not serving is restarted only when it is due.
  if ((serves && !isHung && !has_former_key) || !row.is_due) return;
  // A later turn looks again.
  if ([...starting.values()].filter((name) => name === row.target).length >= max_starts_at_once) return;
  starting.set(row.id, row.target);
  try {
    if (!serves) return await startAgain(parts, row, seen, lease);
    if (!isHung) await requireSecretsOf(parts, row);
    await target.stop(seen.place, { grace_seconds: isHung ? 0 : stopGraceSeconds }, signal);
    silences.forget(row);
    const why = isHung ? silences.why : 'It gets the gateway key of its new team.';
    await noteEnd(parts.db, row, { reason: isHung ? 'hang' : 'stopped', detail: why });
    if (isHung) await alertCrashLoop(parts.db, row);
    await startAgain(parts, row, await target.observe(seen.place, signal), lease, why);
  } finally {
    starting.delete(row.id);
  }
}

const isScaledByTarget = (target: Target, { place }: Pick<instanceStore.InstanceRow, 'place'>): boolean =>
  place !== null && target.scalesItself?.(place) === true;

/** For a target with a scaler of its own. True when it takes this instance away, or has done so. */
async function hasLeft(
  parts: DeployParts,
  target: Target,
  { row, seen, health }: { row: instanceStore.InstanceRow; seen: Instance; health: Health | undefined },
  { signal }: Lease,
): Promise<boolean> {
  if (target.hasRemoved === undefined || row.place === null || !isScaledByTarget(target, row)) return false;
  if (health?.status === 'draining') {
    await instanceStore.setDraining(parts.db, row.id);
    return true;
  }
  if (seen.state === 'running' || !(await target.hasRemoved(row.place, signal))) return false;
  await endInstance(parts, row, { grace_seconds: 0 }, signal);
  return true;
}

/** Before a stop that can wait: an agent that lost the secrets of its former team keeps running. */
async function requireSecretsOf(
  { db }: DeployParts,
  { revision_id, agent_id }: instanceStore.InstanceRow,
): Promise<void> {
  const revision = await store.revision(db, revision_id);
  if (revision === undefined) throw new Error(`revision ${revision_id} is gone`);
  await requireSecrets(db, { agent_id, config: await loadAgentConfig(db, revision.version_id) });
}

/** Stores a change at once. Unchanged conditions are confirmed later, in one statement. */
async function note(
  { parts, unchanged }: Keeping,
  row: instanceStore.InstanceRow,
  found: instanceStore.Seen,
): Promise<void> {
  const { id, state, detail, seen_at } = row;
  if (found.state === state && found.detail === detail && seen_at !== null)
    return void unchanged.set(id, { in_flight: found.in_flight, at: performance.now() });
  await instanceStore.setSeen(parts.db, id, found);
}
