// Orchestrations in orchestrations: which ones a version reaches now, and the two rules about them. No orchestration is inside itself, and at most
// five are nested. A deploy checks both, and so does each call (delegated-calls/chain.ts), because the members can be deployed anew in between.
import { isOrchestration } from '@gantry/project/orchestration-yaml.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findAssetsById } from '../../../assets/registry/find.ts';
import { depthSentence, loopSentence, most_nested } from '../../delegated-calls/chain.ts';
import type { Link } from '../../../ground/run-token.ts';
import { loadOrchestration, type Orchestration } from '../load-orchestration.ts';
import { memberRef } from './member-ref.ts';

/** What serves, by the id of the asset. */
export type Reached = ReadonlyMap<string, Orchestration & { ref: string }>;

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
