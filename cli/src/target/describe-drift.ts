import type { TargetCollection, TargetDrifts } from '@gantry/contract/assets/targets.ts';
import { bad, faint, good, line, time, warn, type View } from '../view/view.ts';

export interface LookedAt extends TargetDrifts {
  /** Why it could not be looked at. */
  reason: string | null;
}

export function driftLines(looked: readonly LookedAt[]): View {
  return looked.flatMap(({ target, compares, drift, reason }) => {
    if (reason !== null) return [line(bad('✗ '), `${target}: ${reason}`)];
    if (!compares) return [line(faint(`- ${target}: a target of this kind has nothing to compare`))];
    if (drift.length === 0) return [line(good('✓ '), `${target}: all is as it was described`)];
    return drift.map(({ kind, name, what, detail, agent, found_at }) =>
      line(
        warn('! '),
        `${target}: ${what} ${kind} ${name}${agent === null ? '' : ` of agents/${agent}`}: ${detail}, first seen `,
        time(found_at),
      ),
    );
  });
}

export function collectionLines(collected: readonly TargetCollection[]): View {
  return collected.flatMap(({ target, removed, left, reason }) => [
    ...removed.map(({ kind, name }) => line(good('✓ '), `${target}: removed ${kind} ${name}`)),
    ...left.map(({ kind, name, reason: why }) => line(bad('✗ '), `${target}: ${kind} ${name} stays: ${why}`)),
    ...(reason !== null && left.length === 0 ? [line(bad('✗ '), `${target}: ${reason}`)] : []),
    ...(removed.length + left.length === 0 && reason === null
      ? [line(good('✓ '), `${target}: it has nothing that nobody needs`)]
      : []),
  ]);
}
