// Can a model be called now? From its upstreams, and from what one process of the gateway saw last.
import type { Model, ModelUpstream } from './models.ts';

export const modelStates = [
  'ready',
  'untested',
  'failing',
  'no_address',
  'not_callable',
  'paused',
  'partly_paused',
  'no_price',
] as const;
export type ModelState = (typeof modelStates)[number];
export type UpstreamState = 'ready' | 'not_callable' | 'paused' | 'not_called_yet' | 'failing';

export interface Stated<State> {
  state: State;
  /** The reason of a fault, a failure or a pause. */
  why?: string | undefined;
}

export function stateOfModel(
  { upstreams, price }: Pick<Model, 'upstreams' | 'price'>,
  now: number,
): Stated<ModelState> {
  if (upstreams.length === 0) return { state: 'no_address' };
  const callable = upstreams.filter(({ fault }) => fault === null);
  if (callable.length === 0) return { state: 'not_callable', why: upstreams[0]?.fault ?? undefined };
  const paused = callable.filter((upstream) => isPaused(upstream, now));
  if (paused.length === callable.length) return { state: 'paused', why: paused[0]?.health?.last_problem ?? undefined };
  if (paused.length > 0) return { state: 'partly_paused' };
  const failing = callable.find(({ health }) => (health?.failures ?? 0) > 0);
  if (failing !== undefined) return { state: 'failing', why: failing.health?.last_problem ?? undefined };
  if (callable.every(({ health }) => (health?.last_success_at ?? null) === null)) return { state: 'untested' };
  return { state: price === null ? 'no_price' : 'ready' };
}

export function stateOfUpstream(upstream: ModelUpstream, now: number): Stated<UpstreamState> {
  const { fault, health } = upstream;
  if (fault !== null) return { state: 'not_callable', why: fault };
  if (isPaused(upstream, now)) return { state: 'paused', why: health?.last_problem ?? undefined };
  if (health === null) return { state: 'not_called_yet' };
  return health.failures > 0
    ? { state: 'failing', why: `${health.failures} failed: ${health.last_problem ?? ''}` }
    : { state: 'ready' };
}

function isPaused({ health }: ModelUpstream, now: number): boolean {
  const until = health?.paused_until ?? undefined;
  return until !== undefined && Date.parse(until) > now;
}
