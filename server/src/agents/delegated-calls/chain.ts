// The rules about chains of calls: nothing is called again from inside itself, and a chain has an end.
import { Problem } from '@gantry/contract/problems.ts';
import type { Link } from '../../ground/run-token.ts';
import type { Pin } from './admit-delegated.ts';

/** The longest chain of assets before an agent. */
const most_links = 5;
/** Orchestrations in one another, with the called one. */
export const most_nested = 5;

/** Throws `call_loop` or `too_many_calls`. `chain` has the nearest one first. */
export function refuseChain(chain: readonly Link[], { kind, ref, asset_id }: Pin): void {
  const outermost_first = chain.toReversed();
  const refs = outermost_first.map((link) => link.ref);
  const at = outermost_first.findIndex(({ id }) => id === asset_id);
  if (kind === 'orchestration') {
    const [name = ref] = ref.split('@');
    const all = [...refs, name];
    if (at >= 0) throw new Problem('call_loop', { detail: loopSentence(all.slice(at)) });
    if (all.length > most_nested) throw new Problem('too_many_calls', { detail: depthSentence(all) });
    return;
  }
  if (at >= 0)
    throw new Problem('call_loop', { detail: `${ref} is in this chain of calls already: ${refs.join(' → ')}.` });
  if (chain.length > most_links)
    throw new Problem('too_many_calls', {
      detail: `A chain has at most ${most_links} calls of agents by others: ${refs.join(' → ')}.`,
    });
}

export const loopSentence = (refs: readonly string[]) =>
  `These orchestrations call each other in a circle: ${refs.join(' → ')}.`;
export const depthSentence = (refs: readonly string[]) =>
  `At most ${most_nested} orchestrations are in one another, and these are ${refs.length}: ${refs.join(' → ')}.`;
