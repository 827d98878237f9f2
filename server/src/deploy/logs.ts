// The output of the serving revision's container, and with `follow` also of its successor's. After a failed deploy, the stored
// output of its removed container comes first. An event's id is the newest instant so far.
// A reader that reconnects with the id gets the later lines.
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import type { logLine } from '@gantry/contract/deploy.ts';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Database } from '../database/database.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { AssetRecord } from '../registry/find.ts';
import { loadAsset } from '../registry/load-asset.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';
import { findRun } from '../runs/run.ts';
import { readPresentSecrets } from '../secrets/delivery.ts';
import { isAfter } from './instant.ts';
import type { DeployParts } from './parts.ts';
import { keyOfRevision } from './revision-key.ts';
import * as store from './store.ts';

export interface LogsWish {
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
  await askTheEngine(parts, asset, signal);
  return read(parts, asset, wish, signal);
}

/** The agent, for callers who may read its logs. */
export async function findLogged(db: Database, caller: Caller, name: string): Promise<AssetRecord> {
  const asset = await loadAsset(db, { kind: 'agent', name }, caller);
  authorize(signedIn(caller), 'deployment.read', asset);
  return asset;
}

/** Called before the answer begins. During the stream, a missing engine could only break it off. */
async function askTheEngine({ db, targets }: DeployParts, asset: AssetRecord, signal: AbortSignal): Promise<void> {
  const route = await store.route(db, asset.id, 'local');
  const row = route && (await store.instance(db, route.id));
  if (row !== undefined) await targets[row.place.target].observe(row.place, signal);
}

const look_again_ms = 1000;

async function* read(
  parts: DeployParts,
  asset: AssetRecord,
  wish: LogsWish,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<Line>> {
  const { db, targets } = parts;
  let { since, given } = wish;
  let tail = given === undefined ? wish.tail : undefined;
  let newest = given;
  const event = (data: Line): StreamEvent<Line> => {
    if (newest === undefined || isAfter(data.at, newest)) newest = data.at;
    return { id: newest, data };
  };
  const isGiven = ({ at }: { at: string }) => given !== undefined && !isAfter(at, given);
  let route = await store.route(db, asset.id, 'local');
  for (const line of await linesOfFailedStart(parts, asset, route))
    if (!isGiven(line) && (since === undefined || !isAfter(since, line.at))) yield event(line);
  while (!signal.aborted) {
    const row = route && (await store.instance(db, route.id));
    if (route !== undefined && row !== undefined) {
      const query = {
        follow: wish.follow,
        signal,
        since: given ?? since,
        tail,
        secrets: {
          ...(await keyOfRevision(parts, route)),
          ...(await readPresentSecrets(
            { db, stores: parts.secret_stores },
            { agent_id: asset.id, config: await loadAgentConfig(db, route.version_id) },
          )),
        },
      };
      for await (const line of targets[row.place.target].logs(row.place, query))
        if (!isGiven(line)) yield event({ ...line, revision: row.revision_id });
      // Set only here, because the pieces of a long line have the same time. The lines of the two streams may be out of order.
      given = newest;
    }
    if (!wish.follow) return;
    // The container has ended. The output of its restart, or of the next revision, also belongs here.
    await sleep(look_again_ms, undefined, { signal }).catch(() => {}); // the reader is gone
    tail = undefined;
    since ??= new Date().toISOString();
    route = await store.route(db, asset.id, 'local');
  }
}

const saidInFailure = z.array(z.object({ at: z.string(), stream: z.enum(['stdout', 'stderr']), line: z.string() }));

async function linesOfFailedStart(
  { db }: DeployParts,
  asset: AssetRecord,
  route: store.RouteRow | undefined,
): Promise<Line[]> {
  const [newest] = await store.deployments(db, { agent_id: asset.id, limit: 1 });
  if (newest === undefined || newest.run_id === route?.id) return [];
  const run = await findRun(db, newest.run_id);
  const said = saidInFailure.safeParse(run?.problem?.['log']);
  return (said.data ?? []).map((line) => ({ ...line, revision: newest.run_id }));
}
