import type { CloudRun } from './cloud-run-platform.ts';
import { made } from './made.ts';
import { idOf } from './pool.ts';
import { deletePool, findPool, ownPools, replicasOf } from './pools.ts';
import { numberOf, poolId, secretName } from './requests.ts';
import { deleteReplicas } from './scale.ts';
import { deleteSecret } from './secret-values.ts';

/**
 * The description is the last, also in the ledger: while it is there, an interrupted removal is found and repeated. Lines of logs stay as long as
 * the project keeps them, and images stay in the repository.
 */
export async function removeRevision(run: CloudRun, name: string, signal?: AbortSignal): Promise<void> {
  // Throws for one of another installation, before anything is removed.
  const described = await findPool(run, poolId(name), signal);
  const listed = replicasOf(name, await ownPools(run, signal)).map(idOf);
  // Those that were recorded and are not listed: a crash came before their making, or it has just begun.
  const recorded = (await run.ledger.list()).flatMap((one) =>
    numberOf(name, one.name) === undefined ? [] : [one.name],
  );
  await deleteReplicas(run, [...new Set([...listed, ...recorded])], signal);
  await deleteSecret(run, name, signal);
  await run.ledger.removed(made('secret', secretName(name, run)));
  if (described !== undefined) await deletePool(run, poolId(name), signal);
  await run.ledger.removed(made('worker pool', name));
}
