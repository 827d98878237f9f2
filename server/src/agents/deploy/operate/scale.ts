import { scalingOf, type Scaling } from '@gantry/project/agent-yaml/scaling.ts';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import type { RunKind } from '../../../ground/runs/run.ts';
import { deployMutex } from '../deploy-run.ts';
import { scaleTo } from '../keep/add-instance.ts';
import type { DeployParts } from '../parts.ts';
import { findOperated, type Named, type Operated } from './operated.ts';
import { beginOperation, operationKind, type OperationInput } from './operation.ts';
import { refuseStopped } from './restart.ts';

/** Stays within the approved `deploy.scaling`. From this number on, the load adds and removes instances. */
export async function scale(parts: DeployParts, caller: Caller, on: Named, instances: number): Promise<Deployment> {
  const operated = await findOperated(parts, caller, on);
  const scaling = await requireRunning(parts.db, operated);
  const { min, max } = scaling;
  if (instances < min || instances > max) throw outsideScaling(operated, scaling, instances);
  return await beginOperation(parts, caller, operated, { operation: 'scale', instances });
}

/** The checks of a scale before its number. One allowed number leaves nothing to choose. */
export async function requireScalable(db: Reader, operated: Operated): Promise<void> {
  const scaling = await requireRunning(db, operated);
  if (scaling.min === scaling.max) throw outsideScaling(operated, scaling, scaling.max + 1);
}

async function requireRunning(db: Reader, { asset, route }: Operated): Promise<Scaling> {
  refuseStopped(asset, route);
  return scalingOf(await loadAgentConfig(db, route.version_id));
}

function outsideScaling({ asset, route }: Operated, { min, max }: Scaling, instances: number): Problem {
  const allowed = min === max ? `only ${min}` : `${min} to ${max}, not ${instances}`;
  return new Problem('outside_scaling', {
    detail: `\`deploy.scaling\` of ${asset.ref}@${route.version} allows ${allowed}.`,
  });
}

export function scaleKind(parts: DeployParts): RunKind<OperationInput> {
  return operationKind(parts, 'scale', async ({ input, signal }) => {
    const { revision_id, target, instances } = input;
    await parts.leases.hold(deployMutex(input), signal, async (lease) => {
      await scaleTo(parts, { revision_id, target, instances, why: 'A user scaled it.' }, lease);
    });
  });
}
