// Orchestrations in orchestrations: which ones a version reaches now, and the two rules about them. None is inside itself, and at most five are
// nested. A deploy checks both, and so does each call, because the members can be deployed anew in between.
import { isOrchestration } from '@gantry/contract/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../database/database.ts';
import { findAssetsById, type AssetRecord } from '../registry/find.ts';
import type { Link } from '../run-token.ts';
import { loadOrchestration, type Orchestration } from './load-orchestration.ts';
import { memberRef } from './member-ref.ts';

/** Orchestrations in one another, with the called one. */
const most_nested = 5;

/** What serves, by the id of the asset. */
export type Reached = ReadonlyMap<string, Orchestration & { ref: string }>;

/** Throws `call_loop` or `too_many_calls`. `chain` has the nearest one first. */
export function refuseChain(chain: readonly Link[], next: Pick<AssetRecord, 'id' | 'ref'>): void {
  const outermost_first = chain.toReversed();
  const at = outermost_first.findIndex(({ id }) => id === next.id);
  const refs = [...outermost_first.map(({ ref }) => ref), next.ref];
  if (at >= 0) throw new Problem('call_loop', { detail: loopSentence(refs.slice(at)) });
  if (refs.length > most_nested) throw new Problem('too_many_calls', { detail: depthSentence(refs) });
}

const loopSentence = (refs: readonly string[]) =>
  `These orchestrations call each other in a circle: ${refs.join(' → ')}.`;
const depthSentence = (refs: readonly string[]) =>
  `At most ${most_nested} orchestrations are in one another, and these are ${refs.length}: ${refs.join(' → ')}.`;

/** Why the member cannot be in this orchestration: a circle, or too many in one another. The member is its outermost orchestration. */
export function nestingFault(reached: Reached, self: Link, member: Link): string | undefined {
  // An orchestration that lies deeper than before is looked at again, so each one is at most five times.
  const depths = new Map<string, number>();
  const look = (path: readonly Link[]): string | undefined => {
    const last = path.at(-1);
    if (last === undefined) return undefined;
    const refs = path.map(({ ref }) => ref);
    const at = path.findIndex(({ id }) => id === last.id);
    if (at < path.length - 1) return loopSentence(refs.slice(at));
    if (path.length > most_nested) return depthSentence(refs);
    if ((depths.get(last.id) ?? 0) >= path.length) return undefined;
    depths.set(last.id, path.length);
    for (const next of innerOf(reached.get(last.id))) {
      const fault = look([...path, next]);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return look([self, member]);
}

function innerOf(orchestration: Orchestration | undefined): Link[] {
  return (orchestration?.config.agents ?? []).filter(isOrchestration).flatMap((member) => {
    const ref = memberRef(member);
    const id = orchestration?.asset_ids.get(ref);
    return id === undefined ? [] : [{ id, ref }];
  });
}

/** Each one once, also in a circle. Those that are not deployed are missing. */
export async function reachedFrom(db: Reader, orchestration: Orchestration): Promise<Reached> {
  const reached = new Map<string, Orchestration & { ref: string }>();
  const seen = new Set<string>();
  let level: readonly Orchestration[] = [orchestration];
  while (level.length > 0) {
    const ids = [...new Set(level.flatMap((one) => innerOf(one).map(({ id }) => id)))].filter((id) => !seen.has(id));
    for (const id of ids) seen.add(id);
    const assets = await findAssetsById(db, ids, null);
    const found = await Promise.all(
      assets.map(async ({ id, ref, serving_version_id }) =>
        serving_version_id === null ? [] : [{ id, ref, ...(await loadOrchestration(db, serving_version_id)) }],
      ),
    );
    level = found.flat();
    for (const one of found.flat()) reached.set(one.id, one);
  }
  return reached;
}

/** The ids of all agents that calls can reach through members. */
export function agentsIn(orchestrations: Iterable<Orchestration>): string[] {
  const ids = [...orchestrations].flatMap(({ config, asset_ids }) =>
    config.agents
      .filter((member) => !isOrchestration(member))
      .flatMap((member) => asset_ids.get(memberRef(member)) ?? []),
  );
  return [...new Set(ids)];
}
