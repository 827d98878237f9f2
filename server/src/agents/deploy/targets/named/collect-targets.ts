// `svc server gc`: what the sweep does by itself in the course of time, now and on every target, and also what only looks like ours.
import type { TargetCollection } from '@gantry/contract/assets/targets.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../../governance/access/authorize.ts';
import type { Caller } from '../../../../governance/access/caller.ts';
import { change } from '../../../../governance/access/change.ts';
import { theOrg } from '../../../../governance/access/subject.ts';
import { signedIn } from '../../../../people/principals/signed-in.ts';
import { reasonOf } from '../../keep/collect-outside.ts';
import { collectTarget } from '../../keep/sweep.ts';
import type { DeployParts, TargetName } from '../../parts.ts';
import * as resourceStore from '../../resource-store.ts';

type Parts = Pick<DeployParts, 'db' | 'targets'>;

/** Of one target. The end of the tasks of a cloud may take more than a minute. */
const most_ms = 120_000;

/** One that does not answer, or is slow, delays no other. What it has stays on the record, and the sweep tries it again. */
export async function collectTargets(
  parts: Parts,
  caller: Caller,
  { signal, onError }: { signal: AbortSignal; onError: (error: unknown) => void },
): Promise<TargetCollection[]> {
  const grant = authorize(signedIn(caller), 'target.change', theOrg);
  const names = [
    ...new Set([...(await parts.targets.names()), ...(await resourceStore.targetsWithResources(parts.db))]),
  ];
  return await Promise.all(
    names.map(async (target) => {
      const collected = await collect(parts, target, { signal, onError });
      const { removed, left } = collected;
      await change(parts.db, grant, 'target.collected', async (_, note) => {
        if (removed.length + left.length > 0) note({ target, removed, left });
      });
      return collected;
    }),
  );
}

async function collect(
  parts: Parts,
  target: TargetName,
  { signal, onError }: { signal: AbortSignal; onError: (error: unknown) => void },
): Promise<TargetCollection> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(most_ms)]);
  try {
    const at = await parts.targets.find(target);
    const found = await at.list(ending);
    const { removed, left, strangers, errors } = await collectTarget(parts, { target, found, age_ms: 0 }, ending);
    errors.forEach(onError);
    const foreign = (await at.removeForeign?.(ending)) ?? [];
    return {
      target,
      removed: [
        ...strangers.map(({ name }) => ({ kind: 'instance', name, agent: null })),
        ...removed.map(({ kind, name, agent }) => ({ kind, name, agent })),
        ...foreign.map(({ kind, name }) => ({ kind, name, agent: null })),
      ],
      left: left.map(({ kind, name, agent, reason }) => ({ kind, name, agent, reason })),
      reason: null,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = ending.aborted ? 'it was not done in time; the service goes on with it' : reasonOf(error);
    if (!ending.aborted && !(error instanceof Problem)) onError(error);
    const left = (await resourceStore.unneeded(parts.db, target)).map((one) => ({ ...one, reason }));
    return { target, removed: [], left, reason };
  }
}
