import { finished } from './operations.ts';
import type { CloudRun } from './cloud-run-platform.ts';
import { unlessRefused } from './google.ts';
import { idOf, pool, poolPage, type Pool } from './pool.ts';
import { annotation, numberOf, pool_label, poolId, poolName } from './requests.ts';
import { placeOf } from './settings.ts';

/** Undefined for a missing one, and for one that is going. Throws for one of somebody else. */
export async function findPool(run: CloudRun, id: string, signal?: AbortSignal): Promise<Pool | undefined> {
  const request = { method: 'run.projects.locations.workerPools.get', name: poolName(run.settings, id) } as const;
  const found = await unlessRefused(['NOT_FOUND'], run.google.call(request, pool, signal));
  if (found === undefined || found.deleteTime !== undefined) return undefined;
  if (!isOwn(run, found)) throw new Error(`The worker pool ${id} does not belong to this installation`);
  return found;
}

/** All of this installation. */
export async function ownPools(run: CloudRun, signal?: AbortSignal): Promise<Pool[]> {
  const found: Pool[] = [];
  for (let pageToken: string | undefined; ;) {
    const page = await run.google.call(
      {
        method: 'run.projects.locations.workerPools.list',
        name: placeOf(run.settings),
        query: { pageSize: '500', ...(pageToken !== undefined && { pageToken }) },
      },
      poolPage,
      signal,
    );
    found.push(...page.workerPools);
    pageToken = page.nextPageToken;
    if (pageToken === undefined || pageToken === '') break;
  }
  return found.filter((one) => one.deleteTime === undefined && isOwn(run, one));
}

const isOwn = ({ installation_id }: CloudRun, { labels }: Pool) => labels[pool_label.installation] === installation_id;

/** The replicas of a description, the newest first. */
export function replicasOf(name: string, pools: readonly Pool[]): Pool[] {
  const time = ({ createTime }: Pool) => (createTime === undefined ? 0 : Date.parse(createTime));
  const number = (pool: Pool) => numberOf(name, idOf(pool)) ?? 0;
  return pools
    .filter((pool) => numberOf(name, idOf(pool)) !== undefined)
    .toSorted((one, other) => time(other) - time(one) || number(other) - number(one));
}

/** The name of the description, for a pool that describes a revision. */
export function describes(pool: Pool): string | undefined {
  const name = pool.annotations[annotation.name];
  return name !== undefined && poolId(name) === idOf(pool) ? name : undefined;
}

/** Ends with its end. A missing one is no error. */
export async function deletePool(run: CloudRun, id: string, signal?: AbortSignal): Promise<void> {
  const request = { method: 'run.projects.locations.workerPools.delete', name: poolName(run.settings, id) } as const;
  await unlessRefused(['NOT_FOUND'], finished(run.google, request, signal));
}
