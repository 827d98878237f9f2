import { Problem } from '@gantry/contract/problems.ts';
import type { SecretFiles } from '../target.ts';
import type { CloudRun } from './cloud-run-platform.ts';
import { made, makeReplica } from './made.ts';
import { idOf, poolTemplate } from './pool.ts';
import { deletePool, findPool, ownPools, replicasOf } from './pools.ts';
import { numberOf, pool_label, poolId, replica } from './requests.ts';
import { writeSecret } from './secret-values.ts';

interface Scaling {
  name: string;
  replicas: number;
  files?: SecretFiles;
  leaving?: string[];
}

/** Those that leave end first, then the newest. New ones get the lowest numbers that are free. */
export async function scaleRevision(
  run: CloudRun,
  { name, replicas, files, leaving = [] }: Scaling,
  signal?: AbortSignal,
): Promise<void> {
  const described = await findPool(run, poolId(name), signal);
  if (described === undefined) return;
  const template = poolTemplate.safeParse(described.template);
  const revision_id = described.labels[pool_label.revision] ?? '';
  const agent = described.labels[pool_label.agent] ?? '';
  if (files !== undefined) await writeSecret(run, { name, revision_id, files }, signal);
  const present = replicasOf(name, await ownPools(run, signal)).map(idOf);
  const left = present.filter((id) => !leaving.includes(id));
  const surplus = left.slice(0, Math.max(0, left.length - replicas));
  await deleteReplicas(run, [...present.filter((id) => leaving.includes(id)), ...surplus], signal);
  const numbers = free({ taken: left.map((id) => numberOf(name, id)), count: replicas - left.length });
  if (numbers.length === 0) return;
  if (!template.success)
    throw new Problem('start_failed', {
      detail: `Somebody has changed the worker pool ${poolId(name)} by hand, so no replica starts from it.`,
      hint: 'Deploy the agent again. The differences: svc target drift',
    });
  await Promise.all(
    numbers.map(async (number) => {
      const request = replica(name, run, { number, template: template.data });
      await makeReplica(run, { agent, revision_id, request }, signal);
    }),
  );
}

export async function deleteReplicas(run: CloudRun, ids: readonly string[], signal?: AbortSignal): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      await deletePool(run, id, signal);
      await run.ledger.removed(made('worker pool', id));
    }),
  );
}

function free({ taken, count }: { taken: readonly (number | undefined)[]; count: number }): number[] {
  const numbers: number[] = [];
  for (let number = 1; numbers.length < count; number++) if (!taken.includes(number)) numbers.push(number);
  return numbers;
}
