import { z } from 'zod';
import type { ReplicaSet } from '../replicas/platform.ts';
import type { CloudRun } from './cloud-run-platform.ts';
import { idOf, type Pool } from './pool.ts';
import { systemEntries } from './pool-logs.ts';
import { describes, replicasOf } from './pools.ts';
import { pool_label } from './requests.ts';

/** A start asks how its replica ended. Later, only Cloud Run itself restarts it, and a project has few reads of its logs. */
const starting_ms = 180_000;
const most_words = 1000;

export function setOf(name: string, pools: readonly Pool[]): ReplicaSet | undefined {
  const described = pools.find((pool) => describes(pool) === name);
  if (described === undefined) return undefined;
  const replicas = replicasOf(name, pools);
  const failed = replicas.find(({ terminalCondition }) => terminalCondition?.state === 'CONDITION_FAILED');
  return {
    name,
    revision_id: described.labels[pool_label.revision] ?? '',
    replicas: replicas.length,
    ...(failed !== undefined && {
      obstacle: (failed.terminalCondition?.message ?? 'without a reason').slice(0, most_words),
    }),
  };
}

/** Of a replica that starts. Undefined while none has ended. */
export async function lastExit(
  run: CloudRun,
  { name, pools }: { name: string; pools: readonly Pool[] },
): Promise<ReplicaSet['last_exit']> {
  const starting = replicasOf(name, pools).filter(
    ({ createTime }) => createTime !== undefined && Date.now() - Date.parse(createTime) < starting_ms,
  );
  const since = starting.map(({ createTime = '' }) => createTime).toSorted()[0];
  if (since === undefined) return undefined;
  const said = await systemEntries(run, { ids: starting.map(idOf), since });
  return said.map(({ textPayload = '' }) => exitIn(textPayload)).find((exit) => exit !== undefined);
}

const code = z.coerce.number().int();

/** Cloud Run says it in words alone. */
function exitIn(text: string): ReplicaSet['last_exit'] {
  if (/^Memory limit of .* exceeded/.test(text)) return { exit_code: 137, out_of_memory: true };
  const [, exit] = /^Container called exit\((\d{1,3})\)/.exec(text) ?? [];
  return exit === undefined ? undefined : { exit_code: code.parse(exit), out_of_memory: false };
}
