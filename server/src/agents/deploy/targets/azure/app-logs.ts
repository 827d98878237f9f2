import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { masked } from '../mask.ts';
import type { LogLine, LogQuery } from '../target.ts';
import type { AzureRun } from './container-apps-platform.ts';

type Query = Omit<LogQuery, 'secrets'>;

/** A workspace answers 200 questions in 30 seconds to each of its readers. */
const pause_ms = 4000;
/** A workspace gets lines late, often by minutes, and not in their order. */
const late_ms = 300_000;
const late_reads = 3;
const page_lines = 1000;
const most_lines = 10_000;
/** A follow reads the time of late lines again, and remembers them. */
const most_seen = 100_000;

const instant = z.iso.datetime({ offset: true });
/** Time, stream and line, as the question names them. */
const row = z.tuple([instant, z.string().nullish(), z.string().nullish()]);
const answer = z.object({ tables: z.array(z.object({ rows: z.array(row).max(page_lines) })).min(1) });

export interface AppLog {
  run: AzureRun;
  /** The container app of one replica. */
  id: string;
  /** True when it writes no more. */
  hasEnded: () => Promise<boolean>;
}

/** The lines of one replica. */
export async function* appLogs(log: AppLog, query: Query, values: readonly string[]): AsyncGenerator<LogLine> {
  const mask = masked(values);
  try {
    for await (const { line, ...one } of lines(log, query)) yield { ...one, line: mask(line) };
  } catch (error) {
    // The reader has disconnected, and that ends a follow.
    if (!query.signal.aborted) throw error;
  }
}

async function* lines(log: AppLog, { follow = false, since, tail, signal }: Query): AsyncGenerator<LogLine> {
  const { run, id } = log;
  const seen = new LRUCache<string, true>({ max: most_seen });
  const fresh = (found: readonly LogLine[]) => found.filter(isNewIn(seen));
  let from = since;
  if (tail !== undefined) {
    const last = await readLines(run, { id, since, order: 'desc', count: Math.min(tail, most_lines) }, signal);
    yield* fresh(last.toReversed());
    if (!follow) return;
    from = last[0]?.at ?? new Date().toISOString();
  }
  for (let emptyReads = 0; ;) {
    let count = 0;
    for await (const page of pages(run, { id, since: from }, signal)) {
      const found = fresh(page);
      count += found.length;
      yield* found;
    }
    if (!follow) return;
    // Lines that come late are older than the last one.
    const late = new Date(Date.now() - late_ms).toISOString();
    if (from === undefined || late > from) from = late;
    if (count > 0) emptyReads = 0;
    else if ((await log.hasEnded()) && ++emptyReads > late_reads) return;
    await sleep(pause_ms, undefined, { signal });
  }
}

/** Lines have no ids. One that is equal to another of the same instant is told from it by their number. */
function isNewIn(seen: LRUCache<string, true>): (line: LogLine) => boolean {
  const equal = new Map<string, number>();
  return ({ at, stream, line }) => {
    const key = `${at} ${stream} ${line}`;
    const number = (equal.get(key) ?? 0) + 1;
    equal.set(key, number);
    if (seen.has(`${number} ${key}`)) return false;
    seen.set(`${number} ${key}`, true);
    return true;
  };
}

/** In the order of time. The next page begins at the last instant of the one before. */
async function* pages(run: AzureRun, { id, since }: { id: string; since: string | undefined }, signal: AbortSignal) {
  for (let from = since; ;) {
    const page = await readLines(run, { id, since: from, order: 'asc', count: page_lines }, signal);
    yield page;
    const last = page.at(-1)?.at;
    if (page.length < page_lines || last === undefined) return;
    // More equal instants than a page has: the rest of this instant is left out, and the follow goes on.
    from = last === from ? new Date(Date.parse(last) + 1).toISOString() : last;
  }
}

interface Read {
  id: string;
  since: string | undefined;
  order: 'asc' | 'desc';
  count: number;
}

async function readLines(run: AzureRun, { id, since, order, count }: Read, signal: AbortSignal): Promise<LogLine[]> {
  if (count === 0) return [];
  const taken = Math.min(count, page_lines);
  return await ask(run, { table: 'ContainerAppConsoleLogs_CL', ids: [id], since, order, taken }, signal);
}

/** What Container Apps itself says about these replicas, the last first. */
export async function systemLines(
  run: AzureRun,
  { ids, since }: { ids: readonly string[]; since: string },
  signal?: AbortSignal,
): Promise<LogLine[]> {
  return await ask(run, { table: 'ContainerAppSystemLogs_CL', ids, since, order: 'desc', taken: 50 }, signal);
}

interface Asked {
  table: 'ContainerAppConsoleLogs_CL' | 'ContainerAppSystemLogs_CL';
  ids: readonly string[];
  since: string | undefined;
  order: 'asc' | 'desc';
  taken: number;
}

async function ask(
  run: AzureRun,
  { table: of, ids, since, order, taken }: Asked,
  signal?: AbortSignal,
): Promise<LogLine[]> {
  // Both are part of the language of the query.
  if (!ids.every((id) => /^[a-z0-9-]{1,32}$/.test(id))) throw new Error('a container app has another name than ours');
  if (since !== undefined) instant.parse(since);
  const columns = 'TimeGenerated:datetime, ContainerAppName_s:string, Stream_s:string, Log_s:string';
  const query = [
    // A workspace has no table before its first line.
    `union isfuzzy=true (datatable(${columns})[]), ${of}`,
    `where ContainerAppName_s in (${ids.map((id) => JSON.stringify(id)).join(', ')})`,
    ...(since === undefined ? [] : [`where TimeGenerated >= datetime(${new Date(since).toISOString()})`]),
    `sort by TimeGenerated ${order}`,
    `take ${taken}`,
    'project TimeGenerated, Stream_s, Log_s',
  ].join('\n| ');
  const request = { method: 'Query.execute', name: run.settings.workspace, body: { query } } as const;
  const [found] = (await run.azure.call(request, answer, signal)).tables;
  return (found?.rows ?? []).map(([at, stream, line]) => ({
    at: new Date(at).toISOString(),
    stream: stream === 'stderr' ? 'stderr' : 'stdout',
    line: line ?? '',
  }));
}
