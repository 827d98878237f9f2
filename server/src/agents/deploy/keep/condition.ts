// The condition of the container behind a route. A look asks the engine and the container. The keeper looks continuously and stores
// the result, so a list reads only the database. Without a recent look, the condition is unknown.
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import type { Problem } from '@gantry/contract/problems.ts';
import { addressOf } from '../connections/address-of.ts';
import { askHealth, type Health } from './health.ts';
import type { DeployParts } from '../parts.ts';
import { describeExit } from './restart-container.ts';
import * as instanceStore from '../instance-store.ts';
import type { Instance, Place, Target } from '../targets/target.ts';

export type Condition = Pick<AgentStatus, 'state' | 'detail' | 'in_flight' | 'seen_at'>;

/** The keeper confirms each condition every ten seconds. A silent engine can hold a look for a minute. */
const unknown_after_seconds = 30;

export interface Look {
  seen: Instance;
  /** Undefined when the container does not run or does not answer. */
  health: Health | undefined;
  found: instanceStore.Seen;
}

// The best first. The order of `bestFirst` in state-store.ts is the same.
const order = ['serving', 'starting', 'failed', 'unknown'];

/** The condition of a revision: the best one of its instances. Calls go to the instances that answer. */
export function together(conditions: readonly Condition[]): Condition {
  const sorted = conditions.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  const [best, ...others] = sorted;
  if (best === undefined) throw new Error('a revision without instances has no condition');
  const worst = others.at(-1);
  if (worst === undefined) return best;
  const answering = conditions.filter(({ state }) => state === 'serving').length;
  const counted = `${answering} of ${conditions.length} instances answer.`;
  const detail = answering === conditions.length ? counted : `${counted} ${worst.detail}`;
  const counts = conditions.flatMap(({ in_flight }) => in_flight ?? []);
  const in_flight = counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
  return { ...best, detail, in_flight };
}

/** A place before its first start is gone. Throws `engine_unavailable` when the engine does not answer. */
export async function observe(target: Target, place: Place | null, signal: AbortSignal): Promise<Instance> {
  if (place !== null) return await target.observe(place, signal);
  return { place: {}, instance_id: '', revision_id: '', name: '', state: 'gone', out_of_memory: false };
}

/** Throws `engine_unavailable` when the engine does not answer. */
export async function look(parts: DeployParts, row: instanceStore.InstanceRow, signal: AbortSignal): Promise<Look> {
  return await askAgent(parts, row, await observe(await parts.targets.find(row.target), row.place, signal), signal);
}

/** The look at an instance whose state at its target is known. */
export async function askAgent(
  parts: DeployParts,
  row: instanceStore.InstanceRow,
  seen: Instance,
  signal: AbortSignal,
): Promise<Look> {
  if (seen.state !== 'running') return { seen, health: undefined, found: rebuilding(row) ?? dead(row, seen) };
  const { place, url } = seen;
  const health =
    url === undefined
      ? undefined
      : await askHealth(parts.connections, addressOf(parts, { ...row, place, url }), signal);
  return { seen, health, found: alive(row, health) };
}

/** The condition of a container when the look failed. Its target does not answer. */
export function unseen({ detail }: Problem, { seen_at }: instanceStore.InstanceRow): Condition {
  return { state: 'unknown', detail: `${detail}. ${lastCheck(seen_at)}`, in_flight: null, seen_at };
}

/** The age of a look, in seconds, that makes a condition unknown. During a start, no look happens until the deadline. */
export function unknownAfter({ start_deadline_ms }: Pick<DeployParts, 'start_deadline_ms'>): UnknownAfter {
  return { other: unknown_after_seconds, starting: unknown_after_seconds + start_deadline_ms / 1000 };
}

export interface UnknownAfter {
  other: number;
  starting: number;
}

/** The stored condition, or unknown when its look is too old. */
export function lastCondition(
  parts: Pick<DeployParts, 'start_deadline_ms'>,
  row: instanceStore.InstanceRow,
): Condition {
  const { state, detail, in_flight, seen_at, seconds_unseen } = row;
  const now = rebuilding(row);
  if (now !== undefined) return { ...now, seen_at };
  const seconds = unknownAfter(parts)[state === 'starting' ? 'starting' : 'other'];
  if (state !== null && detail !== null && seconds_unseen !== null && seconds_unseen <= seconds)
    return { state, detail, in_flight, seen_at };
  return { state: 'unknown', detail: lastCheck(seen_at), in_flight: null, seen_at };
}

function lastCheck(seen_at: string | null): string {
  return seen_at === null ? 'It was not checked yet.' : `It was last checked at ${seen_at}.`;
}

const whenHung = 'It is restarted if this continues.';

function alive(row: instanceStore.InstanceRow, health: Health | undefined): instanceStore.Seen {
  const in_flight = health?.in_flight ?? null;
  if (health?.status === 'ready' && row.url !== null)
    return { state: 'serving', detail: instanceStore.serving, in_flight };
  if (health?.status === 'failed')
    return { state: 'failed', detail: 'The agent could not be loaded: see its log.', in_flight };
  if (row.url === null) return { state: 'starting', detail: row.last_exit ?? instanceStore.starting, in_flight };
  if (health === undefined)
    return { state: 'failed', detail: `The container runs but does not answer /health. ${whenHung}`, in_flight };
  return { state: 'starting', detail: 'The agent is loading.', in_flight };
}

/** Only with the lease of the agent, whose next holder forgets it. */
function rebuilding({ rebuilding_since }: instanceStore.InstanceRow): instanceStore.Seen | undefined {
  if (rebuilding_since === null) return undefined;
  return { state: 'starting', detail: `Its image is being rebuilt since ${rebuilding_since}.`, in_flight: null };
}

function dead(row: instanceStore.InstanceRow, seen: Instance): instanceStore.Seen {
  // A planned instance, before its first attempt.
  if (row.place === null && row.failures === 0)
    return { state: 'starting', detail: row.last_exit ?? instanceStore.starting, in_flight: null };
  const again = row.is_due ? 'It restarts now.' : `It restarts at ${row.next_start_at}.`;
  const why = row.place === null ? row.last_exit : describeExit(seen);
  return {
    state: 'failed',
    detail: `${why ?? 'The container never started.'} ${again}`,
    in_flight: null,
  };
}
