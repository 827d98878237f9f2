import { z } from 'zod';
import type { ReplicaSet } from '../replicas/platform.ts';
import { tagOf, type App } from './app.ts';
import { systemLines } from './app-logs.ts';
import { createdAt, replicasOf } from './apps.ts';
import type { AzureRun } from './container-apps-platform.ts';
import type { RecordedDescription } from './made.ts';
import { numberOf, tag } from './requests.ts';

/** A start asks how its replica ended. Later, only Container Apps itself restarts it. */
const starting_ms = 600_000;

/** Also of replicas whose description is not on record, as after the restore of an older database. */
export function setsOf(descriptions: readonly RecordedDescription[], apps: readonly App[]): ReplicaSet[] {
  const known = new Map(descriptions.map(({ name, revision_id }) => [name, revision_id]));
  for (const one of apps) {
    const name = nameOf(one);
    if (name !== undefined && !known.has(name)) known.set(name, tagOf(one, tag.revision) ?? '');
  }
  return [...known].map(([name, revision_id]) => setOf({ name, revision_id }, apps));
}

function setOf({ name, revision_id }: Pick<ReplicaSet, 'name' | 'revision_id'>, apps: readonly App[]): ReplicaSet {
  const replicas = replicasOf(name, apps);
  const failed = replicas.some(({ properties }) => properties.provisioningState === 'Failed');
  return {
    name,
    revision_id,
    replicas: replicas.length,
    ...(failed && { obstacle: 'Container Apps could not make the replica; its system log says more' }),
  };
}

/** Of the description, for a replica that says a name of its own. */
export function nameOf(one: App): string | undefined {
  const name = tagOf(one, tag.name);
  return name !== undefined && numberOf(name, one.name) !== undefined ? name : undefined;
}

/** Of a replica that starts. Undefined while none has ended. */
export async function lastExit(
  run: AzureRun,
  { name, apps }: { name: string; apps: readonly App[] },
): Promise<ReplicaSet['last_exit']> {
  const starting = replicasOf(name, apps).filter((one) => Date.now() - createdAt(one) < starting_ms);
  if (starting.length === 0) return undefined;
  const since = new Date(Math.min(...starting.map(createdAt))).toISOString();
  const said = await systemLines(run, { ids: starting.map((one) => one.name), since });
  return said.map(({ line }) => exitIn(line)).find((exit) => exit !== undefined);
}

const code = z.coerce.number().int();

/** Container Apps says it in words alone. */
function exitIn(text: string): ReplicaSet['last_exit'] {
  const [, exit] = /^Container '[^']*' was terminated with exit code '(\d{1,3})'/.exec(text) ?? [];
  return exit === undefined ? undefined : { exit_code: code.parse(exit), out_of_memory: /OOMKilled/.test(text) };
}
