// The calls of a run, and what they say about a node of the graph.
import type { OrchestrationStep } from '@gantry/contract/agents/orchestrations.ts';
import type { Meaning } from '../../../parts/figures/state.tsx';

/** Tokens and cost are known once the run is read from the service. */
export type Call = Pick<
  OrchestrationStep,
  'path' | 'member' | 'state' | 'started_at' | 'ended_at' | 'agent' | 'version' | 'digest' | 'answer' | 'problem'
> &
  Partial<Pick<OrchestrationStep, 'run_id' | 'input_tokens' | 'output_tokens' | 'cost_usd'>>;

export type CallState =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'done'
  | 'failed'
  | 'fallback used'
  | 'cancelled'
  | 'not called';

export const meanings: Record<CallState, Meaning> = {
  pending: 'none',
  running: 'waiting',
  waiting: 'waiting',
  done: 'good',
  failed: 'failed',
  'fallback used': 'waiting',
  cancelled: 'stopped',
  'not called': 'none',
};

/** A run that has ended has cancelled what still ran. */
export function stateOfCall({ state, problem }: Call, hasEnded: boolean): CallState {
  if (state === 'done') return 'done';
  if (problem?.['code'] === 'cancelled') return 'cancelled';
  if (state === 'failed') return 'failed';
  if (hasEnded) return 'cancelled';
  return state === 'running' || state === 'waiting' ? state : 'pending';
}

export interface Progress {
  state: CallState;
  /** More than one: of a supervisor and its workers. */
  calls: readonly Call[];
  /** The newest. */
  last?: Call;
}

const fallback_mark = ':fallback:';

/** `1:2:worker`, `2:again:lead` and `worker:fallback:spare` are calls of `worker`, `lead` and `worker`. A call inside a member has no node. */
export function nodeOf(path: string): string {
  if (path.includes('/')) return path;
  const [base = path] = path.split(fallback_mark);
  return base.startsWith('classify:') ? base : (base.split(':').at(-1) ?? base);
}

export function isFallback({ path }: Call): boolean {
  return lastPart(path).includes(fallback_mark);
}

export function progressOf(id: string, calls: readonly Call[], hasEnded: boolean): Progress {
  const own = calls.filter(({ path }) => nodeOf(path) === id);
  const last = own.at(-1);
  if (last === undefined) return { state: hasEnded ? 'not called' : 'pending', calls: own };
  const state = stateOfCall(last, hasEnded);
  return { state: state === 'done' && isFallback(last) ? 'fallback used' : state, calls: own, last };
}

/** In the tree of a run: workers are below their supervisor, fallbacks below the call that failed, and calls inside a member below it. */
export function depthOf(path: string): number {
  const parts = path.split('/');
  return parts.length - 1 + parts.reduce((sum, part) => sum + depthInside(part), 0);
}

const lastPart = (path: string) => path.split('/').at(-1) ?? path;

/** The worker in `outer/1:2:worker`. */
export const memberIn = (path: string) => path.split(/[/:]/).at(-1) ?? path;

function depthInside(part: string): number {
  const [base = part, ...fallbacks] = part.split(fallback_mark);
  return fallbacks.length + (/^\d+:\d+:/.test(base) ? 1 : 0);
}

/** Undefined before it begins. */
export function tookOf({ started_at, ended_at }: Call, now: number): number | undefined {
  if (started_at === null) return undefined;
  return Math.max(0, (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(started_at));
}
