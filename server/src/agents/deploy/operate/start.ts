import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { RunKind } from '../../../ground/runs/run.ts';
import { setServing } from '../../../assets/registry/versions/version.ts';
import { deployMutex } from '../deploy-run.ts';
import * as instanceStore from '../instance-store.ts';
import { observe } from '../keep/condition.ts';
import { restartContainer } from '../keep/restart-container.ts';
import type { DeployParts } from '../parts.ts';
import * as store from '../store.ts';
import { findOperated, requireSecretsOf } from './operated.ts';
import { beginOperation, operationKind, type OperationInput } from './operation.ts';

/** From now on the agent should run. After a failed start the keeper tries again. */
export async function start(parts: DeployParts, caller: Caller, name: string, target?: string): Promise<Deployment> {
  const operated = await findOperated(parts, caller, { name, target });
  await requireSecretsOf(parts.db, operated);
  const { asset } = operated;
  return await beginOperation(parts, caller, operated, {
    operation: 'start',
    decide: async (tx, held) => {
      if (held.desired === 'running') return;
      await store.setDesired(tx, held.route_id, 'running');
      if (held.is_default) await setServing(tx, asset.id, held.version_id);
    },
  });
}

export function startKind(parts: DeployParts): RunKind<OperationInput> {
  const { db, targets } = parts;
  return operationKind(parts, 'start', async ({ input, signal }) => {
    await parts.leases.hold(deployMutex(input), signal, async (lease) => {
      // The keeper removes those that a restart before the stop has replaced.
      const all = await instanceStore.instancesOfRevision(db, input.revision_id);
      const rows = all.filter(({ seconds_draining }) => seconds_draining === null);
      const started = await Promise.allSettled(
        rows.map(async (row) => {
          const seen = await observe(await targets.find(row.target), row.place, lease.signal);
          if (seen.state !== 'running' || seen.url !== row.url) await restartContainer(parts, row, seen, lease);
        }),
      );
      // The others continue without the one that fails.
      for (const one of started) if (one.status === 'rejected') throw one.reason;
    });
  });
}
