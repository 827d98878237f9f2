// Step 5: the place of the revision, and its gateway key. Neither has an effect before step 7.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { scalingOf } from '@gantry/project/agent-yaml/scaling.ts';
import { settings } from '../../../people/principals/find.ts';
import { releasePlacement } from '../release-place.ts';
import { decideDeploy } from '../decide-deploy.ts';
import type { DeployRun } from '../deploy-run.ts';
import { refuseEgress } from '../egress.ts';
import * as instanceStore from '../instance-store.ts';
import * as placementStore from '../placement-store.ts';
import * as store from '../store.ts';
import { instanceId } from '../instance-name.ts';
import type { DeployParts } from '../parts.ts';
import { endUnusedKeys, issueRevisionKey } from '../revision-key.ts';
import { placeInput } from '../start-container.ts';
import type { Place, TargetFile } from '../targets/target.ts';
import { holdTarget } from '../../../assets/targets/find-targets.ts';
import { teamOf } from './team-of.ts';

export interface ProvisionedInstance {
  id: string;
  n: number;
  place: Place;
  egress: string[] | null;
}

// Decided again: during the build the approval may be revoked, or the deployer demoted.
export async function provision(
  parts: DeployParts,
  run: DeployRun,
  { config, image: built, signal }: { config: AgentConfig; image: string; signal: AbortSignal },
): Promise<{ instances: ProvisionedInstance[]; key_id: string; files: TargetFile[] }> {
  const { grant } = await decideDeploy(parts, run);
  const target = await parts.targets.find(run.input.target);
  // Also decided again: an admin may have changed the setting.
  refuseEgress(await settings(parts.db), config);
  const image = await target.deliver(built, signal);
  const instances: ProvisionedInstance[] = [];
  let files: TargetFile[] = [];
  for (const { id, n } of await planInstances(parts.db, run, await countToStart(parts.db, run, config))) {
    const input = await placeInput(parts.db, { id, n, revision_id: run.id, image, config }, run.fence);
    const { place, artefacts } = await target.provision(input, signal);
    const egress = input.egress ?? null;
    await parts.db.transaction(async (tx) => {
      await run.fenced(tx);
      await instanceStore.setPlace(tx, id, { place, egress });
    });
    // The instances of a revision differ in their names only.
    if (n === 1) files = artefacts;
    instances.push({ id, n, place, egress });
  }
  const { id: team_id } = await teamOf(parts, run);
  return { instances, files, key_id: await issueRevisionKey(parts, run, { grant, config, team_id }) };
}

/** As many as serve now, so that the switch loses no capacity. */
async function countToStart(db: DeployParts['db'], { input }: DeployRun, config: AgentConfig): Promise<number> {
  const { min, max } = scalingOf(config);
  const route = await store.route(db, input.agent_id, input.target);
  const serving = route?.desired === 'running' ? await instanceStore.countTaking(db, route.id) : 0;
  return Math.min(max, Math.max(1, min, serving));
}

/** Before the target is asked for any of them. So an undo knows them all, even after a crash. */
async function planInstances(
  db: DeployParts['db'],
  run: DeployRun,
  count: number,
): Promise<{ id: string; n: number }[]> {
  const { agent_id, agent, target } = run.input;
  const planned = Array.from({ length: count }, (_, index) => {
    const n = index + 1;
    return { id: instanceId({ revision_id: run.id, n }), n };
  });
  await db.transaction(async (tx) => {
    await run.fenced(tx);
    await holdTarget(tx, target);
    await placementStore.insertPlacement(tx, { revision_id: run.id, agent_id, agent, target }, planned);
  });
  return planned;
}

/** The undo of what the placement of the run names. */
export async function releaseProvisioned(parts: DeployParts, run: DeployRun): Promise<void> {
  await releasePlacement(parts, run.id, AbortSignal.timeout(60_000));
  await endUnusedKeys(parts, run.input.agent_id);
}
