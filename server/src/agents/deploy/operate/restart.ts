import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import type { RunKind } from '../../../ground/runs/run.ts';
import { deployMutex } from '../deploy-run.ts';
import { addInstance, dropInstance } from '../keep/add-instance.ts';
import type { Lease } from '../keep/agent-leases.ts';
import * as instanceStore from '../instance-store.ts';
import type { DeployParts } from '../parts.ts';
import * as store from '../store.ts';
import { findOperated, requireSecretsOf, type Operated } from './operated.ts';
import { beginOperation, operationKind, type OperationInput } from './operation.ts';

/** Replaces every instance by a new one with today's secrets. Each new one answers before an old one drains, so no call fails. */
export async function restart(parts: DeployParts, caller: Caller, name: string, target?: string): Promise<Deployment> {
  const operated = await findOperated(parts, caller, { name, target });
  await requireRestart(parts.db, operated);
  return await beginOperation(parts, caller, operated, { operation: 'restart' });
}

/** The checks of a restart after those of every operation. */
export async function requireRestart(db: Reader, operated: Operated): Promise<void> {
  refuseStopped(operated.asset, operated.route);
  await requireSecretsOf(db, operated);
}

/** Throws `not_deployed`. */
export function refuseStopped({ ref, name }: AssetRecord, { desired, target, is_default }: store.RouteRow): void {
  if (desired !== 'stopped') return;
  const hint = `Start it: svc start ${name}${is_default ? '' : ` --target ${target}`}`;
  throw new Problem('not_deployed', { detail: `${ref} is stopped.`, hint });
}

export function restartKind(parts: DeployParts): RunKind<OperationInput> {
  return operationKind(parts, 'restart', async ({ id, input, signal }) => {
    const asked = await store.deployment(parts.db, id);
    if (asked === undefined) throw new Error(`the restart ${id} has no record`);
    const replace = async (lease: Lease) => await replaceInstances(parts, input, asked.created_at, lease);
    await parts.leases.hold(deployMutex(input), signal, replace);
  });
}

// After a crash the instances themselves say how far the restart is: an old one started before the request.
async function replaceInstances(
  parts: DeployParts,
  { revision_id, target, instances: count }: OperationInput,
  asked_at: string,
  lease: Lease,
): Promise<void> {
  for (;;) {
    const rows = await instanceStore.instancesOfRevision(parts.db, revision_id);
    const taking = rows.filter(instanceStore.takesCalls);
    const isOld = ({ started_at }: instanceStore.InstanceRow) => Date.parse(started_at) < Date.parse(asked_at);
    const [old] = taking.filter(isOld);
    if (old === undefined) return;
    const fresh = taking.filter((row) => !isOld(row));
    const starting = fresh.find(({ url }) => url === null);
    if (starting !== undefined) await dropInstance(parts, starting, lease.signal);
    else if (taking.length > count) await instanceStore.setDraining(parts.db, old.id);
    else await addInstance(parts, { revision_id, target, why: 'A user restarted it.' }, lease);
  }
}
