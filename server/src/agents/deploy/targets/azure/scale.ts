import { Problem } from '@gantry/contract/problems.ts';
import type { SecretFiles } from '../target.ts';
import type { App } from './app.ts';
import { deleteApp, ownApps, replicasOf } from './apps.ts';
import type { AzureRun } from './container-apps-platform.ts';
import { findDescription, made, makeReplica } from './made.ts';
import { numberOf, replica, replicaId } from './requests.ts';
import { sealedFor, sealedOf } from './secret-values.ts';

interface Scaling {
  name: string;
  replicas: number;
  files?: SecretFiles;
  leaving?: string[];
}

/** Those that leave end first, then the newest. New ones get the lowest numbers that are free. */
export async function scaleRevision(
  run: AzureRun,
  { name, replicas, files, leaving = [] }: Scaling,
  signal?: AbortSignal,
): Promise<void> {
  const described = await findDescription(run, name);
  if (described === undefined) return;
  const { revision_id, agent, template, fence } = described;
  const present = replicasOf(name, await ownApps(run, signal));
  const left = present.filter((one) => !leaving.includes(one.name));
  const surplus = left.slice(0, Math.max(0, left.length - replicas));
  const ending = [...present.filter((one) => leaving.includes(one.name)), ...surplus].map((one) => one.name);
  const numbers = free({ taken: left.map((one) => numberOf(name, one.name)), count: replicas - left.length });
  // Before the last one that has them ends.
  const sealed = numbers.length === 0 ? '' : await sealedValues(run, { revision_id, files, present }, signal);
  await deleteReplicas(run, ending, signal);
  const key = run.sealingKey(revision_id);
  await Promise.all(
    numbers.map(async (number) => {
      const request = replica({ name, agent, revision_id }, run, { number, template, fence, key, sealed });
      await makeReplica(run, { agent, revision_id, id: replicaId(name, number), request }, signal);
    }),
  );
}

/** Without new values, those of a replica that is there. */
async function sealedValues(
  run: AzureRun,
  { revision_id, files, present }: { revision_id: string; files: SecretFiles | undefined; present: readonly App[] },
  signal?: AbortSignal,
): Promise<string> {
  if (files !== undefined) return sealedFor(run, revision_id, files);
  for (const one of present) {
    const sealed = await sealedOf(run, one.name, signal);
    if (sealed !== undefined) return sealed;
  }
  throw new Problem('start_failed', {
    detail: 'No replica is there from which a further one could get its secrets.',
    hint: 'Restart the agent: svc restart <agent>',
  });
}

export async function deleteReplicas(run: AzureRun, ids: readonly string[], signal?: AbortSignal): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      await deleteApp(run, id, signal);
      await run.ledger.removed(made(id));
    }),
  );
}

function free({ taken, count }: { taken: readonly (number | undefined)[]; count: number }): number[] {
  const numbers: number[] = [];
  for (let number = 1; numbers.length < count; number++) if (!taken.includes(number)) numbers.push(number);
  return numbers;
}
