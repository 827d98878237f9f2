// The removal of a deleted agent's containers. The record is gone, so the run itself has the places of the containers.
import type { Tx } from '../../../ground/database/database.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { enqueue, type RunActor, type RunKind } from '../../../ground/runs/run.ts';
import { releasePlace } from '../release-place.ts';
import { deployMutex } from '../deploy-run.ts';
import { instanceName } from '../instance-name.ts';
import type { InstanceRow } from '../instance-store.ts';
import type { DeployParts, TargetName } from '../parts.ts';
import type { Placed } from '../targets/target.ts';

interface ReleaseInput {
  agent_id: string;
  target: TargetName;
  /** A run that was stored by an older service has no `instance_id`. */
  instances: (Omit<Placed, 'instance_id'> & { instance_id?: string; target: TargetName })[];
}

/** Behind the runs that have not ended, one for each target with instances. */
export async function enqueueRelease(
  tx: Tx,
  { asset, actor, rows }: { asset: AssetRecord; actor: RunActor; rows: readonly InstanceRow[] },
): Promise<void> {
  for (const [target, of] of Map.groupBy(rows, (row) => row.target)) {
    const instances = of.map((row) => ({ target, instance_id: row.id, place: row.place, name: instanceName(row) }));
    const mutex = deployMutex({ agent_id: asset.id, target });
    const input: ReleaseInput = { agent_id: asset.id, target, instances };
    await enqueue(tx, { kind: 'release', mutex, input, actor, team_id: asset.team.id, behind: true });
  }
}

export function releaseKind(parts: DeployParts): RunKind<ReleaseInput> {
  return {
    shares: { max: 12, team: 8, user: 6 },
    work: async (run) =>
      await run.step('release', async ({ input, signal: ending }) => {
        await parts.leases.hold(deployMutex(input), ending, async ({ signal }) => {
          for (const one of input.instances) await releasePlace(parts, { instance_id: '', ...one }, signal);
        });
      }),
  };
}
