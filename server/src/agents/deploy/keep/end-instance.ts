import { Problem } from '@gantry/contract/problems.ts';
import { releasePlace } from '../release-place.ts';
import { instanceName } from '../instance-name.ts';
import * as instanceStore from '../instance-store.ts';
import { keepLog, lost, noteLost } from '../log/keep-log.ts';
import type { DeployParts } from '../parts.ts';

// The keeper tries a removal again every 1.5 s.
const most_log_failures = 5;

/** Stops the instance, keeps its log and removes it. A log that cannot be read is lost in the end. True for the last one of its revision. */
export async function endInstance(
  parts: DeployParts,
  row: instanceStore.InstanceRow,
  { grace_seconds }: { grace_seconds: number },
  signal: AbortSignal,
): Promise<boolean> {
  if (row.place !== null) await (await parts.targets.find(row.target)).stop(row.place, { grace_seconds }, signal);
  await keepLog(parts, row, signal).catch(async (error: unknown) => await countFailure(parts, row, error));
  await releasePlace(parts, { ...row, instance_id: row.id, name: instanceName(row) }, signal);
  return await parts.db.transaction(async (tx) => await instanceStore.removeInstance(tx, row));
}

/** Throws the failure until there were too many. Of an engine that does not answer, nothing can be removed. */
async function countFailure({ db }: DeployParts, row: instanceStore.InstanceRow, error: unknown): Promise<void> {
  if (error instanceof Problem || (await instanceStore.countLogFailure(db, row.id)) < most_log_failures) throw error;
  await noteLost(db, row, lost.unreadable);
}
