import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../ground/database/sql.ts';
import { openAgentKey } from '../../models/keys/holders/agent-keys.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../testing/agents/deploy-stage.ts';
import { openWorkerErrors } from '../../testing/worker-errors.ts';
import { traceContext } from '../../ground/trace-context.ts';
import { deploy } from './deploy.ts';
import { egressToken } from './limited/egress-token.ts';
import { ingressSecret } from './serving/ingress-secret.ts';
import { unixTime } from './instant.ts';
import { logs, type LogsWish } from './logs.ts';
import { deployRoutes } from './routes.ts';
import { deployKind } from './deploy-kind.ts';
import type { LogLine, Secrets } from './targets/target.ts';

let stage: DeployStage;
let worker: Worker;
const errors = openWorkerErrors();
let name = '';
/** The output of the container. It has ended, so each follow ends at once. */
let written: LogLine[] = [];
/** The number of reads. */
let reads = 0;

let hidden: Secrets = {};

beforeAll(async () => {
  stage = await openDeployStage();
  worker = await startWorker(
    stage.database.db,
    { deploy: deployKind(stage.parts) },
    { owner: 'test', onError: errors.onError },
  );
  const pushed = await stage.push();
  name = pushed.name;
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref: pushed.ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(60_000)));
  stage.targets.local = {
    ...stage.targets.local,
    logs: async function* engine(_, { since, tail, secrets }) {
      reads += 1;
      hidden = secrets;
      // Only as fine as a second, so that earlier lines come again.
      const read = written.filter(({ at }) => since === undefined || second(at) >= second(since));
      yield* read.slice(tail === undefined ? 0 : -tail);
    },
  };
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
  errors.expectNone();
});
beforeEach(() => {
  reads = 0;
  written = [said('one', 1), said('two', 2), said('three', 3)];
});

/** All lines within one millisecond. */
function said(line: string, nanosecond: number): LogLine {
  return { at: `2026-01-31T12:00:00.00000000${nanosecond}Z`, stream: 'stdout', line };
}

const second = (at: string) => Math.floor(Number(unixTime(at)));
const caller = async () => await stage.cast.caller('root');
const wish = { follow: true, tail: 200 };

/** Reads until the container was read that often. */
async function read(changes: Partial<LogsWish>, times: number, between = () => {}): Promise<string[]> {
  const stop = new AbortController();
  const lines: string[] = [];
  const look = setInterval(() => {
    if (reads >= times) stop.abort();
    else if (reads > 0) between();
  }, 50);
  try {
    const events = await logs(stage.parts, await caller(), name, { ...wish, ...changes }, stop.signal);
    for await (const { data } of events) lines.push(data.line);
  } finally {
    clearInterval(look);
  }
  return lines;
}

test('a follow of an ended agent gives each line once', async () => {
  expect(await read({}, 3)).toEqual(['one', 'two', 'three']);
});

test('the agent’s own key to the gateway, its ingress secret and its token at the proxy are masked like its secrets', async () => {
  await read({ follow: false }, 1);
  const { db } = stage.database;
  const [row] = await db.all<{ id: string; key_id: string }>(sql`select id, key_id from revision`);
  const key = await openAgentKey(stage.parts.key_maker, db, row?.key_id ?? '');
  expect(key).toMatch(/^gtk_/);
  const { ingress_key } = stage.parts;
  const id = row?.id ?? '';
  expect(Object.values(hidden)).toEqual([key, ingressSecret(ingress_key, id), egressToken(ingress_key, id)]);
});

test('the output of a restart arrives, even within the same millisecond', async () => {
  const more = () => {
    if (written.length === 3) written.push(said('four', 4));
  };
  expect(await read({}, 3, more)).toEqual(['one', 'two', 'three', 'four']);
});

test('a reader that reconnects gets all lines after its last one', async () => {
  expect(await read({ given: written[0]?.at, tail: 1 }, 1)).toEqual(['two', 'three']);
});

const trace = traceContext(new Headers());
const unexpected = (error: unknown) => expect(error).toBeUndefined();

test('each line has the id for a reconnect, in the header that a browser sends', async () => {
  const routes = deployRoutes({ ...stage.parts, onError: unexpected });
  const events = async (given: Record<string, string>) => {
    const headers = new Headers(given);
    const signal = AbortSignal.timeout(10_000);
    const parts = { params: { name }, query: { ...wish, follow: false }, body: undefined, headers, trace, signal };
    const all = [];
    for await (const event of await routes['agents.logs']({ ...parts, caller: await caller(), callerNow: caller }))
      all.push(event);
    return all;
  };
  const all = await events({});
  expect(all.map(({ id }) => id)).toEqual(written.map(({ at }) => at));
  expect(await events({ 'last-event-id': all[1]?.id ?? '' })).toEqual(all.slice(2));
  expect(await events({ 'last-event-id': 'nonsense' })).toEqual(all);
});

test('a follow ends with the refusal when its reader may no longer read the logs', async () => {
  const signal = AbortSignal.timeout(20_000);
  const headers = new Headers();
  const parts = { params: { name }, query: wish, body: undefined, headers, trace, signal };
  const callerNow = async () => await Promise.reject(new Problem('unauthenticated'));
  const events = await deployRoutes({ ...stage.parts, onError: unexpected })['agents.logs']({
    ...parts,
    caller: await caller(),
    callerNow,
  });
  const lines: string[] = [];
  const more = setInterval(() => written.push(said(`line ${written.length + 1}`, written.length + 1)), 300);
  const reading = (async () => {
    for await (const { data } of events) lines.push(data.line);
  })();
  await expect(reading.finally(() => clearInterval(more))).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(lines.slice(0, 3)).toEqual(['one', 'two', 'three']);
});

test('a late line with an earlier time does not move the id back', async () => {
  written = [said('two', 2), said('one', 1)];
  const ids: (string | undefined)[] = [];
  const events = await logs(stage.parts, await caller(), name, { ...wish, follow: false }, AbortSignal.timeout(10_000));
  for await (const { id } of events) ids.push(id);
  expect(ids).toEqual([said('', 2).at, said('', 2).at]);
});

test('a silent engine gives a refusal, not a broken answer', async () => {
  const { local } = stage.targets;
  stage.targets.local = { ...local, observe: async () => Promise.reject(new Problem('engine_unavailable')) };
  await expect(logs(stage.parts, await caller(), name, wish, AbortSignal.timeout(10_000))).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
  stage.targets.local = local;
});
