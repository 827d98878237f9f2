// The log of a container, kept before the container is removed. Values of secrets in the log are masked already.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Database } from '../../../ground/database/database.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { readPresentSecrets } from '../../../assets/secrets/delivery.ts';
import type { InstanceRow } from '../instance-store.ts';
import type { DeployParts } from '../parts.ts';
import { valuesOfRevision } from '../revision-key.ts';
import * as deployStore from '../store.ts';
import type { LogLine, Secrets } from '../targets/target.ts';
import { isAfter } from '../instant.ts';
import * as store from './kept-log-store.ts';

export const keptLogLimits = {
  instance_bytes: 4 * 1024 ** 2,
  agent_bytes: 20 * 1024 ** 2,
  part_bytes: 256 * 1024,
  revisions: 5,
};

/** Keeps the newest lines. The container has ended, so its log grows no more. The output of a missing container is lost. */
export async function keepLog(
  parts: DeployParts,
  row: InstanceRow,
  signal: AbortSignal,
  limits = keptLogLimits,
): Promise<void> {
  const { db, targets } = parts;
  const { id: instance_id, revision_id, agent_id, n, place } = row;
  if (place === null) return;
  const target = await targets.find(row.target);
  if ((await target.observe(place, signal)).state === 'gone') {
    // An interrupted removal has kept it.
    if ((await store.keptLog(db, instance_id)) === undefined) await noteLost(db, row, lost.removed);
    return;
  }
  const secrets = await secretsOfOutput(parts, row);
  await keepLines(db, { instance_id, revision_id, agent_id, n }, target.logs(place, { secrets, signal }), limits);
}

/** Replaces what was kept under this id. */
export async function keepLines(
  db: Database,
  row: Pick<store.KeptLogRow, 'instance_id' | 'revision_id' | 'agent_id' | 'n'>,
  lines: AsyncIterable<LogLine> | Iterable<LogLine>,
  limits = keptLogLimits,
): Promise<void> {
  const { kept, cut_bytes } = await newest(lines, limits);
  const { agent_id } = row;
  const last_at = kept.at(-1)?.last_at;
  if (last_at === undefined) return;
  await db.transaction(async (tx) => {
    await store.insertKept(tx, { ...row, last_at, cut_bytes }, kept);
    await store.removeOlderRevisions(tx, agent_id, limits.revisions);
    await store.cutOldest(tx, agent_id, limits.agent_bytes);
  });
}

/** Why the output of a container is lost. */
export const lost = {
  removed: 'its container was removed from outside the service',
  unreadable: 'it could not be read before its container was removed',
};

/** From now on the log says that the output of the container is lost. */
export async function noteLost(
  db: Database,
  { id: instance_id, revision_id, agent_id, n, place }: InstanceRow,
  reason: string,
): Promise<void> {
  if (place !== null) await store.insertLost(db, { instance_id, revision_id, agent_id, n, place, reason });
}

/** Masked in the output of an instance. */
export async function secretsOfOutput(
  parts: Pick<DeployParts, 'db' | 'key_maker' | 'ingress_key' | 'secret_stores'>,
  { revision_id, agent_id }: Pick<InstanceRow, 'revision_id' | 'agent_id'>,
): Promise<Secrets> {
  const { db, secret_stores: stores } = parts;
  const revision = await deployStore.revision(db, revision_id);
  if (revision === undefined) throw new Error(`revision ${revision_id} is gone`);
  const config = await loadAgentConfig(db, revision.version_id);
  return {
    ...(await valuesOfRevision(parts, revision)),
    ...(await readPresentSecrets({ db, stores }, { agent_id, config })),
  };
}

const zip = promisify(gzip);

/** At most `instance_bytes` and one part are in memory. */
async function newest(
  lines: AsyncIterable<LogLine> | Iterable<LogLine>,
  { instance_bytes, part_bytes }: typeof keptLogLimits,
): Promise<{ kept: store.PartRow[]; cut_bytes: number }> {
  const kept: store.PartRow[] = [];
  let [open, bytes, total, cut_bytes, part] = [new Array<string>(), 0, 0, 0, 0];
  let [first_at, last_at] = ['', ''];
  const close = async () => {
    const content = await zip(open.join(''));
    kept.push({ part: (part += 1), first_at, last_at, lines: open.length, bytes, content });
    total += bytes;
    [open, bytes] = [[], 0];
    while (total > instance_bytes) {
      const cut = kept.shift()?.bytes ?? 0;
      total -= cut;
      cut_bytes += cut;
    }
  };
  for await (const { at, stream, line } of lines) {
    // The lines of the two streams may be out of order.
    if (open.length === 0) first_at = at;
    if (last_at === '' || isAfter(at, last_at)) last_at = at;
    const written = `${JSON.stringify({ at, stream, line })}\n`;
    open.push(written);
    bytes += Buffer.byteLength(written);
    if (bytes >= part_bytes) await close();
  }
  if (open.length > 0) await close();
  return { kept, cut_bytes };
}
