import type { Upstream } from '../model.ts';

/** The lowest priority first; within one, at random, each in proportion to its weight. */
export function inOrderOfCall(upstreams: readonly Upstream[], random: () => number = Math.random): Upstream[] {
  return upstreams
    .map((upstream) => ({ upstream, drawn: -Math.log(1 - random()) / upstream.weight }))
    .toSorted((one, other) => one.upstream.priority - other.upstream.priority || one.drawn - other.drawn)
    .map(({ upstream }) => upstream);
}
