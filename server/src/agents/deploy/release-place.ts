import { instanceName } from './instance-name.ts';
import type { DeployParts, TargetName } from './parts.ts';
import * as placementStore from './placement-store.ts';
import type { Placed } from './targets/target.ts';

/** Removes an instance from its target. */
export async function releasePlace(
  parts: Pick<DeployParts, 'targets'>,
  { target, ...placed }: Placed & { target: TargetName },
  signal: AbortSignal,
): Promise<void> {
  await (await parts.targets.find(target)).release(placed, signal);
}

/** Removes everything of a deploy that was not registered: its instances, whether they were made or only planned, and then its rows. */
export async function releasePlacement(
  parts: Pick<DeployParts, 'targets' | 'db'>,
  revision_id: string,
  signal: AbortSignal,
): Promise<void> {
  for (const row of await placementStore.placedInstances(parts.db, revision_id))
    await releasePlace(parts, { ...row, instance_id: row.id, name: instanceName(row) }, signal);
  await placementStore.removePlacement(parts.db, revision_id);
}
