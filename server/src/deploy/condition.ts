// The condition of the container behind a route. A look asks the engine and the container. The keeper looks continuously and stores
// the result, so a list reads only the database. Without a recent look, the condition is unknown.
import type { AgentStatus } from '@gantry/contract/deploy.ts';
import type { Problem } from '@gantry/contract/problems.ts';
import { askHealth, type Health } from './health.ts';
import type { DeployParts } from './parts.ts';
import { describeExit } from './restart-container.ts';
import * as store from './store.ts';
import type { Instance } from './targets/target.ts';

export type Condition = Pick<AgentStatus, 'state' | 'detail' | 'in_flight' | 'seen_at'>;

/** The keeper confirms each condition every ten seconds. A silent engine can hold a look for a minute. */
const unknown_after_seconds = 30;

export interface Look {
  seen: Instance;
  /** Undefined when the container does not run or does not answer. */
  health: Health | undefined;
  found: store.Seen;
}

/** Throws `engine_unavailable` when the engine does not answer. */
export async function look({ targets }: DeployParts, row: store.InstanceRow, signal: AbortSignal): Promise<Look> {
  const seen = await targets[row.place.target].observe(row.place, signal);
  if (seen.state !== 'running') return { seen, health: undefined, found: dead(row, seen) };
  const health = seen.url === undefined ? undefined : await askHealth(seen.url, signal);
  return { seen, health, found: alive(row, health) };
}

/** The condition of a container when the look failed. */
export function unseen({ detail }: Problem): store.Seen {
  return { state: 'failed', detail, in_flight: null };
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
  { state, detail, in_flight, seen_at, seconds_unseen }: store.InstanceRow,
): Condition {
  const seconds = unknownAfter(parts)[state === 'starting' ? 'starting' : 'other'];
  if (state !== null && detail !== null && seconds_unseen !== null && seconds_unseen <= seconds)
    return { state, detail, in_flight, seen_at };
  const since = seen_at === null ? 'It was not checked yet.' : `It was last checked at ${seen_at}.`;
  return { state: 'unknown', detail: since, in_flight: null, seen_at };
}

const whenHung = 'It is restarted if this continues.';

function alive(row: store.InstanceRow, health: Health | undefined): store.Seen {
  const in_flight = health?.in_flight ?? null;
  if (health?.status === 'ready' && row.url !== null) return { state: 'serving', detail: store.serving, in_flight };
  if (health?.status === 'failed')
    return { state: 'failed', detail: 'The agent could not be loaded: see its log.', in_flight };
  if (row.url === null) return { state: 'starting', detail: row.last_exit ?? store.starting, in_flight };
  if (health === undefined)
    return { state: 'failed', detail: `The container runs but does not answer /health. ${whenHung}`, in_flight };
  return { state: 'starting', detail: 'The agent is loading.', in_flight };
}

function dead(row: store.InstanceRow, seen: Instance): store.Seen {
  const again = row.next_start_at === null ? 'It restarts now.' : `It restarts at ${row.next_start_at}.`;
  return {
    state: 'failed',
    detail: `${describeExit(seen) ?? 'The container never started.'} ${again}`,
    in_flight: null,
  };
}
