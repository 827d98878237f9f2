// What a target still has of revisions that nobody needs, by the ledger: leftovers of a crash between two calls, of a failed undo, and of agents
// that were deleted while the target did not answer.
import { Problem } from '@gantry/contract/problems.ts';
import { instanceName } from '../instance-name.ts';
import type { DeployParts, TargetName } from '../parts.ts';
import { releasePlace } from '../release-place.ts';
import * as resourceStore from '../resource-store.ts';
import type { OutsideResource } from '../targets/outside.ts';

interface Leftover extends OutsideResource {
  agent: string;
  revision_id: string;
}

export interface Outcome {
  removed: Leftover[];
  left: (Leftover & { reason: string })[];
  /** Those that are no refusal of the target. */
  errors: unknown[];
}

/** What was recorded within `age_ms` stays. One that fails delays no other. */
export async function collectOutside(
  parts: Pick<DeployParts, 'db' | 'targets'>,
  { target, age_ms }: { target: TargetName; age_ms: number },
  signal: AbortSignal,
): Promise<Outcome> {
  const outcome: Outcome = { removed: [], left: [], errors: [] };
  for (const revision of await resourceStore.unneededRevisions(parts.db, { target, age_ms })) {
    const { revision_id } = revision;
    const open = async () => await resourceStore.openOfRevision(parts.db, { target, revision_id });
    const before = await open();
    const placed = { instance_id: '', place: null, name: instanceName({ ...revision, n: 1 }) };
    let reason = 'the target still has it';
    try {
      await releasePlace(parts, { ...placed, target }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      reason = reasonOf(error);
      if (!(error instanceof Problem)) outcome.errors.push(error);
    }
    const after = await open();
    for (const one of before) {
      const isLeft = after.some(({ kind, name }) => kind === one.kind && name === one.name);
      if (isLeft) outcome.left.push({ ...one, ...revision, reason });
      else outcome.removed.push({ ...one, ...revision });
    }
  }
  return outcome;
}

/** The words of the target. Of a fault of the service, only that there is one: the log has it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Problem ? error.detail : 'the service failed at it; its log says why';
