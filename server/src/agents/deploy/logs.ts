// The output of an agent's containers, also of removed ones. Past lines are sorted by time, and include those of a failed deploy. With `follow`, the
// later lines of all containers, also of new ones, come as they arrive. A reader that reconnects with the id of an event gets the later lines.
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import type { logLine } from '@gantry/contract/agents/log-line.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { findRun } from '../../ground/runs/run.ts';
import { isAfter } from './instant.ts';
import { observe } from './keep/condition.ts';
import { arrivals } from './log/arrivals.ts';
import { lastLines, mergeByTime } from './log/backlog.ts';
import { isFiltered, lineFilter, type LogFilter } from './log/filter.ts';
import { isPassed, later, printPosition, readPosition, sourceKey, type Position } from './log/position.ts';
import { findSources, loggedInstances, type Source, type SourceFilter, type SourceLine } from './log/sources.ts';
import type { DeployParts } from './parts.ts';
import * as store from './store.ts';

export interface LogsWish extends LogFilter, SourceFilter {
  follow: boolean;
  since?: string | undefined;
  tail: number;
  /** The id of the reader's last event, when it reconnects. */
  given?: string | undefined;
}

type Line = z.output<typeof logLine>;

export async function logs(
  parts: DeployParts,
  caller: Caller,
  name: string,
  wish: LogsWish,
  signal: AbortSignal,
): Promise<AsyncIterable<StreamEvent<Line>>> {
  const asset = await findLogged(parts.db, caller, name);
  await requireRevision(parts.db, asset, wish);
  await askTheEngine(parts, asset, wish, signal);
  return read(parts, asset, wish, signal);
}

/** The agent, for callers who may read its logs. */
export async function findLogged(db: Database, caller: Caller, name: string): Promise<AssetRecord> {
  const asset = await loadAsset(db, { kind: 'agent', name }, caller);
  authorize(signedIn(caller), 'deployment.read', asset);
  return asset;
}

async function requireRevision(db: Database, asset: AssetRecord, { revision }: LogsWish): Promise<void> {
  if (revision === undefined) return;
  const [found] = await store.deployments(db, { agent_id: asset.id, begins_with: revision, limit: 1 });
  if (found === undefined)
    throw new Problem('not_found', { detail: `No revision of ${asset.ref} has an id that begins with ${revision}.` });
}

/** Called before the answer begins. During the stream, a missing engine could only break it off. */
async function askTheEngine(
  { db, targets }: DeployParts,
  asset: AssetRecord,
  wish: LogsWish,
  signal: AbortSignal,
): Promise<void> {
  const [row] = await loggedInstances(db, asset.id, wish);
  if (row !== undefined) await observe(await targets.find(row.target), row.place, signal);
}

const look_again_ms = 1000;
// Covers the difference between the clocks of the service and of an engine.
const clocks_ms = 5000;

async function* read(
  parts: DeployParts,
  asset: AssetRecord,
  wish: LogsWish,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<Line>> {
  const given = wish.given === undefined ? undefined : readPosition(wish.given);
  const position: Position = { floor: given?.floor, sources: new Map(given?.sources) };
  const looked_at = lookedAt();
  const sources = [...(await findSources(parts, asset.id, wish)), ...(await failedStart(parts, asset, wish))];
  const tail = given === undefined ? wish.tail : undefined;
  const newest = new Map<string, string>();
  const merged = mergeByTime(
    sources.map((source) => {
      // A filter and a tail pass over lines, and a follow then begins after them.
      const onRead = (at: string) => newest.set(source.key, later(at, newest.get(source.key)));
      const limits = { follow: false, tail: isFiltered(wish) || tail === undefined ? undefined : Math.max(1, tail) };
      return linesOf(source, { ...limits, after: startOf(source, given), wish, signal, onRead });
    }),
  );
  const written = tail === undefined ? merged : lastLines(merged, { tail });
  for await (const { key, ...data } of written) {
    passWritten(position, { key, at: data.at, looked_at });
    yield { id: printPosition(position), data };
  }
  if (!wish.follow) return;
  for (const source of sources) {
    const at = newest.get(source.key) ?? startOf(source, given);
    if (source.is_live || at !== undefined) position.sources.set(source.key, at);
  }
  yield* follow({ parts, asset, wish, signal, position, known: sources });
}

/** No container that a look did not find has an earlier line. */
const lookedAt = () => new Date(Date.now() - clocks_ms).toISOString();

const startOf = ({ key }: Source, given: Position | undefined): string | undefined =>
  given?.sources.has(key) === true ? given.sources.get(key) : given?.floor;

interface Reading {
  wish: LogsWish;
  follow: boolean;
  tail: number | undefined;
  /** Only later lines. */
  after: string | undefined;
  signal: AbortSignal;
  onRead: (at: string) => void;
}

type KeyedLine = Line & { key: string };

async function* linesOf(source: Source, { wish, after, onRead, ...query }: Reading): AsyncGenerator<KeyedLine> {
  const { key, revision, instance } = source;
  const fits = lineFilter(wish);
  for await (const { is_notice = false, ...line } of source.read({ ...query, since: after ?? wish.since })) {
    // `after` stays, because the pieces of a long line have the same time.
    if (isPassed(line.at, after) || (wish.since !== undefined && isAfter(wish.since, line.at))) continue;
    onRead(line.at);
    if (is_notice || fits(line)) yield { ...line, revision, instance, key };
  }
}

/** The written lines come in order. So all lines until this one are sent, except those of containers that no look found yet. */
function passWritten(position: Position, { key, at, looked_at }: { key: string; at: string; looked_at: string }): void {
  const { floor, sources } = position;
  if (floor !== undefined && !isAfter(at, floor)) {
    if (sources.has(key)) sources.set(key, later(at, sources.get(key)));
  } else if (isAfter(at, looked_at)) {
    raiseFloor(position, looked_at, () => false);
    sources.set(key, later(at, sources.get(key)));
  } else {
    raiseFloor(position, at, () => false);
  }
}

function raiseFloor(position: Position, to: string, isNeeded: (key: string) => boolean): void {
  const floor = later(to, position.floor);
  position.floor = floor;
  for (const [key, at] of position.sources)
    if (!isNeeded(key) && (at === undefined || isPassed(at, floor))) position.sources.delete(key);
}

interface Following {
  parts: DeployParts;
  asset: AssetRecord;
  wish: LogsWish;
  signal: AbortSignal;
  position: Position;
  /** The sources whose written lines are read. */
  known: readonly Source[];
}

async function* follow(following: Following): AsyncGenerator<StreamEvent<Line>> {
  const { parts, asset, wish, position } = following;
  const ended = new AbortController();
  const signal = AbortSignal.any([following.signal, ended.signal]);
  // A live source is read again: the output of its restart belongs here.
  const isRead = new Set(following.known.filter(({ is_live }) => !is_live).map(({ key }) => key));
  const open = arrivals<KeyedLine>(signal);
  const onRead = () => {};
  let looked = -Infinity;
  try {
    while (!signal.aborted) {
      if (performance.now() - looked >= look_again_ms) {
        looked = performance.now();
        const looked_at = lookedAt();
        const sources = await findSources(parts, asset.id, wish);
        for (const source of sources) {
          const { key, is_live } = source;
          if (open.has(key) || isRead.has(key)) continue;
          if (!is_live) isRead.add(key);
          const after = position.sources.get(key);
          position.sources.set(key, after);
          open.add(key, linesOf(source, { wish, follow: is_live, tail: undefined, after, signal, onRead }));
        }
        const live = new Set(sources.filter(({ is_live }) => is_live).map(({ key }) => key));
        raiseFloor(position, looked_at, (key) => live.has(key) || open.has(key));
      }
      const came = await open.next(look_again_ms - (performance.now() - looked));
      if (came === undefined) continue;
      const { key, ...data } = came.item;
      position.sources.set(key, later(data.at, position.sources.get(key)));
      yield { id: printPosition(position), data };
    }
  } finally {
    ended.abort();
  }
}

const saidInFailure = z.array(z.object({ at: z.string(), stream: z.enum(['stdout', 'stderr']), line: z.string() }));

/** The last lines of a failed deploy, whose container is removed. None after a later success. */
async function failedStart({ db }: DeployParts, asset: AssetRecord, wish: LogsWish): Promise<Source[]> {
  const route = await store.defaultRoute(db, asset.id);
  const [newest] = await store.deployments(db, { agent_id: asset.id, limit: 1 });
  if (newest === undefined || newest.run_id === route?.id || wish.instance !== undefined) return [];
  const { run_id } = newest;
  const run = await findRun(db, run_id);
  const said = saidInFailure.safeParse(run?.problem?.['log']);
  if (!said.success || !run_id.startsWith(wish.revision ?? '')) return [];
  return [{ key: sourceKey(run_id), revision: run_id, instance: null, is_live: false, read: () => linesIn(said.data) }];
}

async function* linesIn(lines: readonly SourceLine[]): AsyncGenerator<SourceLine> {
  yield* lines;
}
