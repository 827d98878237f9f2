// One more instance of a revision that is registered already, and its removal.
import { endInstance } from './end-instance.ts';
import * as instanceStore from '../instance-store.ts';
import type { DeployParts, TargetName } from '../parts.ts';
import type { Lease } from './agent-leases.ts';
import { observe } from './condition.ts';
import { restartContainer } from './restart-container.ts';

/** It takes calls when this returns. After a failed start nothing of it is left. Throws as restartContainer. */
export async function addInstance(
  parts: DeployParts,
  { why, ...of }: { revision_id: string; target: TargetName; why: string },
  lease: Lease,
): Promise<void> {
  const { db, targets } = parts;
  const id = await instanceStore.insertPlanned(db, of);
  const row = await instanceStore.instance(db, id);
  if (row === undefined) throw new Error(`instance ${id} is gone`);
  try {
    await restartContainer(parts, row, await observe(await targets.find(of.target), null, lease.signal), lease, why);
  } catch (error) {
    // The next executor drops it.
    if (!lease.lost.aborted) await dropInstance(parts, row, AbortSignal.timeout(60_000));
    throw error;
  }
}

/** At once: for an instance that takes no calls. */
export async function dropInstance(
  parts: DeployParts,
  { id }: Pick<instanceStore.InstanceRow, 'id'>,
  signal: AbortSignal,
): Promise<void> {
  const row = await instanceStore.instance(parts.db, id);
  if (row === undefined) return;
  await endInstance(parts, row, { grace_seconds: 2 }, signal);
}

/** Adds instances, or lets those with the fewest calls finish and end. After a crash, the instances themselves say what is left to do. */
export async function scaleTo(
  parts: DeployParts,
  { revision_id, target, instances, why }: { revision_id: string; target: TargetName; instances: number; why: string },
  lease: Lease,
): Promise<void> {
  const rows = await instanceStore.instancesOfRevision(parts.db, revision_id);
  const taking = rows.filter(instanceStore.takesCalls);
  // One that has no calls because it is starting is the first to go.
  const firstToGo = taking.toSorted(
    (a, b) => Number(a.url !== null) - Number(b.url !== null) || (a.in_flight ?? 0) - (b.in_flight ?? 0) || b.n - a.n,
  );
  for (const { id } of firstToGo.slice(0, Math.max(0, taking.length - instances)))
    await instanceStore.setDraining(parts.db, id);
  for (let count = taking.length; count < instances; count++)
    await addInstance(parts, { revision_id, target, why }, lease);
}
