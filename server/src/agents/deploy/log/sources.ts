// Where the output of an agent is: in the containers of its instances, and for removed ones in the kept logs.
import type { Database } from '../../../ground/database/database.ts';
import * as instanceStore from '../instance-store.ts';
import type { DeployParts } from '../parts.ts';
import { lost, secretsOfOutput } from './keep-log.ts';
import * as store from './kept-log-store.ts';
import { isPassed, later, sourceKey } from './position.ts';
import { notice, readKeptLog, type SourceLine } from './read-kept-log.ts';

export type { SourceLine } from './read-kept-log.ts';

export interface Source {
  key: string;
  revision: string;
  /** Null for a failed start and for a rebuilt image. */
  instance: number | null;
  /** Its container may write more. */
  is_live: boolean;
  read: (query: SourceQuery) => AsyncIterable<SourceLine>;
}

interface SourceQuery {
  follow: boolean;
  /** The result may include earlier lines. */
  since: string | undefined;
  tail: number | undefined;
  signal: AbortSignal;
}

export interface SourceFilter {
  /** The beginning of its id. */
  revision?: string | undefined;
  instance?: number | undefined;
}

/** The instances are read first: a log is kept before its instance is removed. */
export async function findSources(parts: DeployParts, agent_id: string, filter: SourceFilter): Promise<Source[]> {
  const rows = await loggedInstances(parts.db, agent_id, filter);
  const live = new Set(rows.map(({ id }) => id));
  const kept = (await store.keptLogs(parts.db, agent_id)).filter(
    (row) => !live.has(row.instance_id) && isWanted(row, filter),
  );
  const losses = (await store.lostLogs(parts.db, agent_id)).filter((row) => isWanted(row, filter));
  return [
    ...losses.map((row) => ({
      key: sourceKey(row.id),
      revision: row.revision_id,
      instance: row.n,
      is_live: false,
      read: () => lostNotice(row),
    })),
    ...kept.map((row) => ({
      key: sourceKey(row.instance_id),
      revision: row.revision_id,
      instance: row.n,
      is_live: false,
      read: (query: SourceQuery) => readKeptLog(parts.db, row, query),
    })),
    ...rows.map((row) => ({
      key: sourceKey(row.id),
      revision: row.revision_id,
      instance: row.n,
      is_live: true,
      read: (query: SourceQuery) => readInstance(parts, row, query),
    })),
  ];
}

/** The instances with a container. */
export async function loggedInstances(
  db: Database,
  agent_id: string,
  filter: SourceFilter,
): Promise<instanceStore.InstanceRow[]> {
  return (await instanceStore.instancesOf(db, [agent_id])).filter((row) => row.place !== null && isWanted(row, filter));
}

const isWanted = (row: { revision_id: string; n: number | null }, { revision = '', instance }: SourceFilter) =>
  row.revision_id.startsWith(revision) && (instance === undefined || row.n === instance);

async function* lostNotice({
  n,
  reason,
  at,
}: Pick<store.LostLogRow, 'n' | 'reason' | 'at'>): AsyncGenerator<SourceLine> {
  const message = `The earlier output of instance ${n} is lost: ${reason}.`;
  yield notice({ at, event: 'log_lost', message });
}

async function* readInstance(
  parts: DeployParts,
  row: instanceStore.InstanceRow,
  { since, ...query }: SourceQuery,
): AsyncGenerator<SourceLine> {
  const { id, place } = row;
  if (place === null) return;
  const target = await parts.targets.find(row.target);
  const secrets = await secretsOfOutput(parts, row);
  let newest: string | undefined;
  try {
    for await (const line of target.logs(place, { ...query, since, secrets })) {
      newest = later(line.at, newest);
      yield line;
    }
  } catch (error) {
    if (query.signal.aborted || (await target.observe(place, query.signal)).state !== 'gone') throw error;
    // The container was removed meanwhile.
    const kept = await store.keptLog(parts.db, id);
    if (kept === undefined) {
      // The keeper notes the loss with its next look at the instance.
      if (!query.follow && !(await store.isLost(parts.db, { instance_id: id, place })))
        yield* lostNotice({ n: row.n, reason: lost.removed, at: new Date().toISOString() });
      return;
    }
    for await (const line of readKeptLog(parts.db, kept, { since: newest ?? since, tail: query.tail }))
      if (!isPassed(line.at, newest)) yield line;
  }
}
