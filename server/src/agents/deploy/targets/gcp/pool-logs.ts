import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { masked } from '../mask.ts';
import type { LogLine, LogQuery } from '../target.ts';
import type { CloudRun } from './cloud-run-platform.ts';
import type { GoogleRequest } from './requests.ts';

type Query = Omit<LogQuery, 'secrets'>;

/** A project has 60 reads a minute for all logs. */
const pause_ms = 4000;
/** Cloud Logging gets lines late, and not in their order. */
const late_ms = 10_000;
const late_reads = 3;
const page_lines = 500;
const most_lines = 10_000;

const entry = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  insertId: z.string().default(''),
  logName: z.string().default(''),
  textPayload: z.string().optional(),
  jsonPayload: z.record(z.string(), z.unknown()).optional(),
});
export type Entry = z.output<typeof entry>;
const entryPage = z.object({ entries: z.array(entry).default([]), nextPageToken: z.string().optional() });

export interface PoolLog {
  run: CloudRun;
  /** The worker pool of one replica. */
  id: string;
  /** True when it writes no more. */
  hasEnded: () => Promise<boolean>;
}

/** The lines of one replica. Cloud Logging keeps a line of JSON as its members, so it comes back in their form of JSON. */
export async function* poolLogs(log: PoolLog, query: Query, values: readonly string[]): AsyncGenerator<LogLine> {
  const mask = masked(values);
  try {
    for await (const { timestamp, logName, textPayload, jsonPayload } of entries(log, query))
      yield {
        at: new Date(timestamp).toISOString(),
        stream: logName.endsWith('stderr') ? 'stderr' : 'stdout',
        line: mask(textPayload ?? JSON.stringify(jsonPayload ?? {})),
      };
  } catch (error) {
    // The reader has disconnected, and that ends a follow.
    if (!query.signal.aborted) throw error;
  }
}

async function* entries(log: PoolLog, { follow = false, since, tail, signal }: Query): AsyncGenerator<Entry> {
  const { run, id } = log;
  const seen = new LRUCache<string, true>({ max: most_lines });
  let from = since;
  const isNew = (one: Entry) => {
    const key = `${one.timestamp} ${one.insertId}`;
    if (seen.has(key)) return false;
    seen.set(key, true);
    const late = new Date(Date.parse(one.timestamp) - late_ms).toISOString();
    if (from === undefined || late > from) from = late;
    return true;
  };
  if (tail !== undefined) {
    const last = await readLast(run, { id, since, count: tail }, signal);
    yield* last.filter(isNew);
    if (!follow) return;
    from ??= new Date().toISOString();
  }
  for (let emptyReads = 0; ;) {
    let count = 0;
    for await (const one of readAll(run, { id, since: from }, signal)) {
      if (!isNew(one)) continue;
      count++;
      yield one;
    }
    if (!follow) return;
    if (count > 0) emptyReads = 0;
    else if ((await log.hasEnded()) && ++emptyReads > late_reads) return;
    await sleep(pause_ms, undefined, { signal });
  }
}

interface Read {
  id: string;
  since: string | undefined;
}

/** In the order of time. */
async function* readAll(run: CloudRun, { id, since }: Read, signal: AbortSignal): AsyncGenerator<Entry> {
  for (let pageToken: string | undefined; ;) {
    const request = listing(run, { filter: ofReplica(run, id, since), order: 'asc', pageSize: page_lines, pageToken });
    const page = await run.google.call(request, entryPage, signal);
    yield* page.entries;
    pageToken = page.nextPageToken;
    if (pageToken === undefined || pageToken === '') return;
  }
}

async function readLast(run: CloudRun, { id, since, count }: Read & { count: number }, signal: AbortSignal) {
  const found: Entry[] = [];
  const wanted = Math.min(count, most_lines);
  for (let pageToken: string | undefined; found.length < wanted;) {
    const pageSize = Math.min(page_lines, wanted - found.length);
    const request = listing(run, { filter: ofReplica(run, id, since), order: 'desc', pageSize, pageToken });
    const page = await run.google.call(request, entryPage, signal);
    found.push(...page.entries);
    pageToken = page.nextPageToken;
    if (pageToken === undefined || pageToken === '') break;
  }
  return found.slice(0, wanted).toReversed();
}

interface Listing {
  filter: readonly string[];
  order: 'asc' | 'desc';
  pageSize: number;
  pageToken?: string | undefined;
}

function listing({ settings }: CloudRun, { filter, order, pageSize, pageToken }: Listing): GoogleRequest {
  return {
    method: 'logging.entries.list',
    name: '',
    body: {
      resourceNames: [`projects/${settings.project}`],
      filter: filter.join('\n'),
      orderBy: `timestamp ${order}`,
      pageSize,
      ...(pageToken !== undefined && { pageToken }),
    },
  };
}

/** What Cloud Run itself says about these replicas, the last first. */
export async function systemEntries(
  run: CloudRun,
  { ids, since }: { ids: readonly string[]; since: string },
  signal?: AbortSignal,
): Promise<Entry[]> {
  const names = ids.map((id) => JSON.stringify(id)).join(' OR ');
  const filter = [
    ...inPlace(run),
    `resource.labels.worker_pool_name=(${names})`,
    `logName=${logOf(run, 'varlog%2Fsystem')}`,
    `timestamp>=${JSON.stringify(since)}`,
  ];
  return (await run.google.call(listing(run, { filter, order: 'desc', pageSize: 20 }), entryPage, signal)).entries;
}

const ofReplica = (run: CloudRun, id: string, since: string | undefined): string[] => [
  ...inPlace(run),
  `resource.labels.worker_pool_name=${JSON.stringify(id)}`,
  `logName=(${logOf(run, 'stdout')} OR ${logOf(run, 'stderr')})`,
  ...(since === undefined ? [] : [`timestamp>=${JSON.stringify(since)}`]),
];

const inPlace = ({ settings }: CloudRun) => [
  'resource.type="cloud_run_worker_pool"',
  `resource.labels.location=${JSON.stringify(settings.region)}`,
];

const logOf = ({ settings }: CloudRun, name: string) =>
  JSON.stringify(`projects/${settings.project}/logs/run.googleapis.com%2F${name}`);
