import { ownApps, replicasOf } from './apps.ts';
import type { AzureRun } from './container-apps-platform.ts';
import { made } from './made.ts';
import { numberOf } from './requests.ts';
import { deleteReplicas } from './scale.ts';

/**
 * The description is the last in the ledger: while it is there, an interrupted removal is found and repeated. Lines of logs stay as long as the
 * workspace keeps them, and images stay in the registry.
 */
export async function removeRevision(run: AzureRun, name: string, signal?: AbortSignal): Promise<void> {
  const apps = await ownApps(run, signal);
  // A foreign one that is no replica is a description of its own (drift.ts).
  const listed = [...replicasOf(name, apps), ...apps.filter((one) => one.name === name)].map((one) => one.name);
  // Those that were recorded and are not listed: a crash came before their making, or it has just begun.
  const recorded = (await run.ledger.list()).flatMap((one) =>
    numberOf(name, one.name) === undefined ? [] : [one.name],
  );
  await deleteReplicas(run, [...new Set([...listed, ...recorded])], signal);
  await run.ledger.removed(made(name));
}
