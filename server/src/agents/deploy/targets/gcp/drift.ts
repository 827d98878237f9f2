// What somebody changed in the project by hand: worker pools, what their containers are made of, and their secrets. Values of secrets are not
// compared. Google fills fields that nobody asked for, so only the fields of the description count, and every item of its lists.
import { asFarAs, differingPaths, saidPaths } from '../differing-paths.ts';
import type { Recorded } from '../outside.ts';
import type { PlatformDrift } from '../replicas/platform.ts';
import type { CloudRun } from './cloud-run-platform.ts';
import { unlessRefused } from './google.ts';
import type { RecordedPool } from './made.ts';
import { idOf, type Pool } from './pool.ts';
import { describes, ownPools, replicasOf } from './pools.ts';
import { key_variable, numberOf, poolId, secretName } from './requests.ts';
import { readSecret } from './secret-values.ts';

export async function projectDrift(
  run: CloudRun,
  told: ReadonlyMap<string, number | undefined>,
  signal: AbortSignal,
): Promise<PlatformDrift[]> {
  const pools = await ownPools(run, signal);
  const recorded = (await run.ledger.list()).filter(({ described }) => described !== undefined);
  const found: PlatformDrift[] = [];
  for (const one of recorded) {
    const { revision_id, name } = one;
    if (revision_id === null || !told.has(revision_id)) continue;
    const drifted = [
      ...poolDrift(one, { pools, replicas: told.get(revision_id) }),
      ...(await secretDrift(run, name, signal)),
    ];
    found.push(...drifted.map((is) => ({ ...is, of: name, revision_id })));
  }
  const known = new Set(recorded.map(({ name }) => poolId(name)));
  const foreign = pools.map(idOf).filter((id) => !known.has(id) && !isReplica(id, recorded));
  return [...found, ...foreign.map((id) => asForeign(id, pools))];
}

type Found = Omit<PlatformDrift, 'of' | 'revision_id'>;

function poolDrift(
  { name, described }: Recorded,
  { pools, replicas }: { pools: readonly Pool[]; replicas: number | undefined },
): Found[] {
  const own = pools.find((pool) => describes(pool) === name);
  const kind = 'worker pool';
  if (own === undefined) return [{ kind, name, what: 'missing', detail: 'it is gone, or has other labels' }];
  const { template } = described as unknown as RecordedPool; // as made.ts has recorded it
  const running = replicasOf(name, pools);
  const changed = [own, ...running].flatMap((pool): Found[] => {
    const differing = differingPaths(template, asFarAs(template, pool.template), { ignores: (value) => value === '' });
    // The record has no key.
    const paths = differing.filter((path) => !path.endsWith(`.${key_variable}.value`));
    return paths.length === 0 ? [] : [{ kind, name: idOf(pool), what: 'changed', detail: saidPaths(paths) }];
  });
  if (changed.length > 0 || replicas === undefined || running.length === replicas) return changed;
  const detail = `it has ${running.length} replicas, and ${replicas} are asked for`;
  return [{ kind, name, what: 'changed', detail }];
}

async function secretDrift(run: CloudRun, of: string, signal: AbortSignal): Promise<Found[]> {
  const name = secretName(of, run);
  const found = await unlessRefused(['NOT_FOUND'], readSecret(run, of, signal));
  return found === undefined ? [{ kind: 'secret', name, what: 'missing', detail: 'it is gone' }] : [];
}

const isReplica = (id: string, recorded: readonly Recorded[]) =>
  recorded.some(({ name }) => numberOf(name, id) !== undefined);

function asForeign(id: string, pools: readonly Pool[]): PlatformDrift {
  const pool = pools.find((one) => idOf(one) === id);
  return {
    kind: 'worker pool',
    name: id,
    of: (pool === undefined ? undefined : describes(pool)) ?? id,
    revision_id: null,
    what: 'foreign',
    detail: 'it has the label of this service, and is not on the record',
  };
}
