import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { setServing } from '../../../assets/registry/versions/version.ts';
import { activeRun, requestCancel, type RunKind } from '../../../ground/runs/run.ts';
import { deployMutex } from '../deploy-run.ts';
import * as instanceStore from '../instance-store.ts';
import { noteEnd } from '../keep/note-end.ts';
import type { DeployParts } from '../parts.ts';
import * as store from '../store.ts';
import { stopGraceSeconds } from '../targets/stop-grace.ts';
import { findOperable } from './operated.ts';
import { beginOperation, operationKind, type OperationInput } from './operation.ts';

/** Waits for nobody: calls are refused from the answer on, and a running deploy is cancelled. A stopped agent stays registered. */
export async function stop(parts: DeployParts, caller: Caller, name: string, target?: string): Promise<Deployment> {
  const operated = await findOperable(parts, caller, { name, target });
  const { asset, route } = operated;
  return await beginOperation(parts, caller, operated, {
    operation: 'stop',
    behind: true,
    decide: async (tx, held) => {
      const running = await activeRun(tx, deployMutex({ agent_id: asset.id, target: route.target }));
      if (running !== undefined && running.kind !== 'stop') await requestCancel(tx, running.id);
      if (held.desired === 'stopped') return;
      await store.setDesired(tx, held.route_id, 'stopped');
      if (held.is_default) await setServing(tx, asset.id, null);
    },
  });
}

export function stopKind(parts: DeployParts): RunKind<OperationInput> {
  const { db, targets } = parts;
  return operationKind(parts, 'stop', async ({ input, signal: ending }) => {
    await parts.leases.hold(deployMutex(input), ending, async ({ signal }) => {
      // A start may have come behind this stop.
      const route = await store.route(db, input.agent_id, input.target);
      if (route?.desired === 'running') return;
      const rows = await instanceStore.instancesOf(db, [input.agent_id]);
      await Promise.all(
        rows.map(async (row) => {
          const { id, target, place } = row;
          if (target !== input.target) return;
          if (place !== null)
            await (await targets.find(target)).stop(place, { grace_seconds: stopGraceSeconds }, signal);
          await noteEnd(db, row, { reason: 'stopped', detail: 'A user stopped it.' });
          await instanceStore.setStopped(db, id);
        }),
      );
    });
  });
}
