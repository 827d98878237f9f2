import { EventEmitter, once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { openAgentKey } from '../../../models/keys/holders/agent-keys.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { openWorkerErrors } from '../../../testing/worker-errors.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { deployMutex } from '../deploy-run.ts';
import { egressToken } from '../limited/egress-token.ts';
import { ingressSecret } from '../serving/ingress-secret.ts';
import * as instanceStore from '../instance-store.ts';
import { addInstance, dropInstance } from '../keep/add-instance.ts';
import type { Lease } from '../keep/agent-leases.ts';
import { observe } from '../keep/condition.ts';
import { drainOut } from '../keep/drain-out.ts';
import { restartContainer } from '../keep/restart-container.ts';
import { logs, type LogsWish } from '../logs.ts';
import { deleteAgent } from '../operate/delete.ts';
import type { LogLine, Secrets } from '../targets/target.ts';
import { keepLog, keptLogLimits } from './keep-log.ts';

let stage: DeployStage;
let worker: Worker;
const errors = openWorkerErrors();
/** What each container has written. */
const output = new Map<string, LogLine[]>();
const more = new EventEmitter().setMaxListeners(100);
let hidden: Secrets = {};

beforeAll(async () => {
  stage = await openDeployStage();
  worker = await startWorker(
    stage.database.db,
    { deploy: deployKind(stage.parts) },
    { owner: 'test', onError: errors.onError },
  );
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
  errors.expectNone();
});
beforeEach(() => {
  output.clear();
  stage.clear();
  stage.health = { status: 'ready', in_flight: 0 };
  stage.targets.local = {
    ...stage.targets.local,
    logs: async function* engine(place, { follow = false, since, tail, secrets, signal: reader }) {
      hidden = secrets;
      const id = String(place['container_id']);
      if (!stage.containers.has(id)) throw new Error('no such container');
      const lines = () => (output.get(id) ?? []).filter(({ at }) => since === undefined || at >= since);
      const written = lines().slice(tail === undefined ? 0 : -tail);
      let sent = lines().length;
      yield* written;
      while (follow && stage.containers.get(id)?.state === 'running') {
        await once(more, 'written', { signal: reader });
        for (; sent < lines().length; sent++) yield lines()[sent] as LogLine; // it is there
      }
    },
  };
});

const minute = () => AbortSignal.timeout(60_000);
const caller = async () => await stage.cast.caller('root');

// An hour ago. An instant of the engine has nanoseconds.
const began = Date.now() - 3_600_000;
const at = (milliseconds: number, from = began) => new Date(from + milliseconds).toISOString().replace('Z', '000000Z');

function write(container: string, ...lines: (Partial<LogLine> & { line: string; at: string })[]): void {
  const before = output.get(container) ?? [];
  output.set(container, [...before, ...lines.map((line) => ({ stream: 'stdout' as const, ...line }))]);
  more.emit('written');
}

async function deployed(name?: string, version = '1.0.0'): Promise<{ name: string; id: string }> {
  const pushed = await stage.push({ ...(name === undefined ? {} : { name }), version });
  const { id } = await deploy(stage.parts, await caller(), { ref: pushed.ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, minute()));
  return { name: pushed.name, id };
}

async function instancesOf(revision_id: string): Promise<instanceStore.InstanceRow[]> {
  return await instanceStore.instancesOfRevision(stage.database.db, revision_id);
}

/** The id of one more instance, and so of its container. */
async function another(revision_id: string): Promise<string> {
  const [row] = await instancesOf(revision_id);
  if (row === undefined) throw new Error('it has no instance');
  const add = async (lease: Lease) =>
    await addInstance(stage.parts, { revision_id, target: 'local', why: 'a test' }, lease);
  await stage.parts.leases.hold(deployMutex(row), minute(), add);
  return (await instancesOf(revision_id))[1]?.id ?? '';
}

/** Its last call ended long ago. */
async function drained(revision_id: string): Promise<void> {
  for (const row of await instancesOf(revision_id))
    await drainOut(stage.parts, { ...row, is_warm: false, seconds_draining: 4000 }, minute());
  more.emit('written');
}

async function read(name: string, wish: Partial<LogsWish> = {}) {
  const events = await logs(stage.parts, await caller(), name, { follow: false, tail: 200, ...wish }, minute());
  const all = [];
  for await (const { data } of events) all.push(data);
  return all;
}
const linesOf = async (name: string, wish: Partial<LogsWish> = {}) => (await read(name, wish)).map(({ line }) => line);

test('the output of a removed container stays, in the order of time with the output of its successor', async () => {
  const { name, id } = await deployed();
  write(id, { at: at(1), line: 'old one' }, { at: at(4), line: 'old two' });
  const next = await deployed(name, '2.0.0');
  write(next.id, { at: at(3), line: 'new one' }, { at: at(5), line: 'new two' });
  await drained(id);
  expect(await instancesOf(id)).toEqual([]);
  expect(await read(name)).toEqual([
    { at: at(1), stream: 'stdout', line: 'old one', revision: id, instance: 1 },
    { at: at(3), stream: 'stdout', line: 'new one', revision: next.id, instance: 1 },
    { at: at(4), stream: 'stdout', line: 'old two', revision: id, instance: 1 },
    { at: at(5), stream: 'stdout', line: 'new two', revision: next.id, instance: 1 },
  ]);
  expect(await linesOf(name, { revision: id.slice(0, 12) })).toEqual(['old one', 'old two']);
  expect(await linesOf(name, { since: at(4) })).toEqual(['old two', 'new two']);
  expect(await linesOf(name, { tail: 3 })).toEqual(['new one', 'old two', 'new two']);
  await expect(read(name, { revision: 'ffffffff' })).rejects.toMatchObject({ code: 'not_found' });
});

test('the lines of every instance are read, and one instance alone', async () => {
  const { name, id } = await deployed();
  const second = await another(id);
  write(id, { at: at(1), line: 'of the first' });
  write(second, { at: at(2), line: 'of the second' });
  expect(await linesOf(name)).toEqual(['of the first', 'of the second']);
  expect(await linesOf(name, { instance: 2 })).toEqual(['of the second']);
  await dropInstance(stage.parts, { id: second }, minute());
  expect(await linesOf(name)).toEqual(['of the first', 'of the second']);
  expect(await read(name, { instance: 2 })).toMatchObject([{ line: 'of the second', instance: 2 }]);
});

test('level, text and call choose lines, a traceback stays with its error, and the tail counts the chosen lines', async () => {
  const { name, id } = await deployed();
  const run = '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10';
  const lines = [
    'starting up',
    'WARNING:root:Disk is nearly full',
    `{"level":"error","event":"agent_error","run_id":"${run}"}`,
    '  | Traceback (most recent call last):',
    '  | ValueError: no',
    '{"level":"debug","message":"tick"}',
    'the disk again',
    `{"level":7,"message":"${run}"}`,
  ];
  write(id, ...lines.map((line, index) => ({ at: at(index), line })));
  const error = lines.slice(2, 5);
  expect(await linesOf(name, { level: 'error' })).toEqual(error);
  expect(await linesOf(name, { level: 'warning' })).toEqual([lines[1], ...error]);
  expect(await linesOf(name, { level: 'info' })).toEqual(lines.filter((line) => !line.includes('tick')));
  expect(await linesOf(name, { level: 'debug' })).toEqual(lines);
  expect(await linesOf(name, { text: 'DISK' })).toEqual([lines[1], lines[6]]);
  expect(await linesOf(name, { text: 'disk', tail: 1 })).toEqual([lines[6]]);
  expect(await linesOf(name, { request: run })).toEqual([...error, lines[7]]);
  expect(await linesOf(name, { request: run, level: 'error', text: 'agent' })).toEqual(error);
});

test('hostile output is kept as the text that it is', async () => {
  const { name, id } = await deployed();
  const hostile = [
    'a\0b \u001B[2J\u001B]0;title\u0007',
    '\u001B[31mERROR\u001B[0m in colour',
    '{"level":"error","message":"forged","at":"2020-01-01T00:00:00Z","stream":"stderr","instance":99}',
    '"}\\n{"at":"x"}',
    'half \ud83d of a pair',
    'x'.repeat(16_384),
    '\u0001'.repeat(16_384),
  ];
  write(id, ...hostile.map((line) => ({ at: at(1), line })));
  await deployed(name, '2.0.0');
  await drained(id);
  expect(await read(name)).toEqual(
    hostile.map((line) => ({ at: at(1), stream: 'stdout', line, revision: id, instance: 1 })),
  );
  expect(await linesOf(name, { level: 'error' })).toEqual(hostile.slice(1, 3));
});

test('what is kept is masked by the target, with the agent’s own key, its ingress secret and its token at the proxy among the values', async () => {
  const { id } = await deployed();
  write(id, { at: at(1), line: 'before' });
  const [row] = await instancesOf(id);
  hidden = {};
  if (row !== undefined) await keepLog(stage.parts, row, minute());
  const revision = await stage.database.db.one<{ key_id: string }>(sql`select key_id from revision where id = ${id}`);
  const key = await openAgentKey(stage.parts.key_maker, stage.database.db, revision?.key_id ?? '');
  expect(key).toMatch(/^gtk_/);
  expect(Object.values(hidden)).toEqual([
    key,
    ingressSecret(stage.parts.ingress_key, id),
    egressToken(stage.parts.ingress_key, id),
  ]);
});

test('the newest lines of a container are kept, and a line says how much was cut, whatever the filter', async () => {
  const { name, id } = await deployed();
  const numbered = Array.from({ length: 40 }, (_, index) => ({
    at: at(index),
    line: `line ${index} ${'.'.repeat(60)}`,
  }));
  write(id, ...numbered);
  const [row] = await instancesOf(id);
  if (row === undefined) throw new Error('there is no instance');
  await keepLog(stage.parts, row, minute(), { ...keptLogLimits, part_bytes: 500, instance_bytes: 1500 });
  stage.containers.delete(id);
  const parts = await stage.database.db.all<{ content: Buffer; bytes: number }>(sql`
    select content, bytes from kept_log_part where instance_id = ${row.id} order by part`);
  const stored = parts.map(({ content }) => gunzipSync(content).toString());
  expect(parts.map(({ bytes }) => bytes)).toEqual(stored.map((text) => text.length));
  const kept = stored.join('').length;
  expect(kept).toBeLessThanOrEqual(1500);
  const all = numbered.reduce((sum, line) => sum + JSON.stringify({ ...line, stream: 'stdout' }).length + 1, 0);
  const [notice, ...rest] = await linesOf(name);
  expect(notice).toContain(`The first ${all - kept} bytes of this output are not kept.`);
  expect(rest).toEqual(numbered.slice(-rest.length).map(({ line }) => line));
  expect(rest.length).toBeGreaterThan(5);
  expect(await linesOf(name, { text: 'line 39' })).toEqual([notice, rest.at(-1)]);

  // When an agent has too much output, the oldest lines of all its logs go first.
  stage.containers.set(id, {
    place: { container_id: id },
    instance_id: row.id,
    revision_id: id,
    name: '',
    state: 'exited',
    out_of_memory: false,
  });
  await keepLog(stage.parts, row, minute(), { ...keptLogLimits, part_bytes: 500, agent_bytes: 700 });
  stage.containers.delete(id);
  const [less, ...fewer] = await linesOf(name);
  expect(fewer).toEqual(numbered.slice(-fewer.length).map(({ line }) => line));
  expect(fewer.join('').length).toBeLessThan(700);
  expect(less).toMatch(/The first \d+ bytes/);
});

test('the logs of an agent’s last five revisions are kept, and end with the agent', async () => {
  const { name, id } = await deployed();
  let before = id;
  for (let version = 2; version <= 7; version++) {
    write(before, { at: at(version), line: `before ${version}` });
    const next = await deployed(name, `${version}.0.0`);
    await drained(before);
    before = next.id;
  }
  expect(await linesOf(name)).toEqual(['before 4', 'before 5', 'before 6', 'before 7']);
  await deleteAgent(stage.parts, await caller(), name);
  const left = await stage.database.db.one(
    sql`select from kept_log_part p join kept_log k using (instance_id) where k.revision_id = ${before}`,
  );
  expect(left).toBeUndefined();
});

const removed = 'The earlier output of instance 1 is lost: its container was removed from outside the service.';

test('the output of a container that was removed by hand is lost, and the log says so once', async () => {
  const { name, id } = await deployed();
  write(id, { at: at(1), line: 'nobody has read it' });
  stage.containers.delete(id);
  expect(await linesOf(name, { text: 'anything' })).toEqual([expect.stringContaining(removed)]);
  const [row] = await instancesOf(id);
  if (row === undefined) throw new Error('there is no instance');
  output.clear();
  await stage.parts.leases.hold(deployMutex(row), minute(), async (lease) => {
    const seen = await observe(stage.targets.local, row.place, minute());
    await restartContainer(stage.parts, row, seen, lease);
  });
  write(id, { at: at(1, Date.now()), line: 'of the new container' });
  const both = [expect.stringContaining(removed), 'of the new container'];
  expect(await linesOf(name)).toEqual(both);
  expect(await linesOf(name, { instance: 2 })).toEqual([]);
  const [again] = await instancesOf(id);
  await deployed(name, '2.0.0');
  await drained(id);
  expect([again?.restarts, await linesOf(name)]).toEqual([1, both]);
});

test('a log that cannot be read holds up the removal of its container five times', async () => {
  const { name, id } = await deployed();
  const [row] = await instancesOf(id);
  await deployed(name, '2.0.0');
  const { local } = stage.targets;
  let reads = 0;
  stage.targets.local = {
    ...local,
    // oxlint-disable-next-line require-yield -- it always fails
    logs: async function* broken() {
      reads += 1;
      throw new Error('the file of the log is damaged');
    },
  };
  for (let failures = 1; failures < 5; failures++) await expect(drained(id)).rejects.toThrow('damaged');
  expect(await instancesOf(id)).toHaveLength(1);
  await drained(id);
  stage.targets.local = local;
  expect([reads, await instancesOf(id), stage.containers.has(id)]).toEqual([5, [], false]);
  const notice = 'instance 1 is lost: it could not be read before its container was removed.';
  expect(await read(name)).toMatchObject([{ revision: row?.revision_id, line: expect.stringContaining(notice) }]);
});

test('an interrupted removal keeps the log once', async () => {
  const { name, id } = await deployed();
  write(id, { at: at(1), line: 'one' });
  await deployed(name, '2.0.0');
  const { local } = stage.targets;
  stage.targets.local = { ...local, release: async () => Promise.reject(new Error('the engine is away')) };
  await expect(drained(id)).rejects.toThrow('away');
  stage.targets.local = local;
  expect(await linesOf(name)).toEqual(['one']);
  write(id, { at: at(2), line: 'two' });
  await drained(id);
  expect(await linesOf(name)).toEqual(['one', 'two']);
});

test('a follow reads all instances and new revisions, and from each of its ids a reader gets exactly the rest', async () => {
  const { name, id } = await deployed();
  const second = await another(id);
  const now = Date.now();
  write(id, { at: at(0, now - 60_000), line: 'written' }, { at: at(50, now), line: 'fresh' });
  const stop = new AbortController();
  const events = await logs(stage.parts, await caller(), name, { follow: true, tail: 200 }, stop.signal);
  const got: { id: string; line: string }[] = [];
  const reading = (async () => {
    for await (const { id: event, data } of events) got.push({ id: event ?? '', line: data.line });
  })();
  const arrives = async (line: string) =>
    await expect.poll(() => got.map((each) => each.line), { timeout: 20_000, interval: 20 }).toContain(line);
  await arrives('fresh');
  // The line of the second instance arrives after a later line of the first.
  write(id, { at: at(200, now), line: 'first' });
  await arrives('first');
  write(second, { at: at(100, now), line: 'second, earlier' });
  await arrives('second, earlier');
  const next = await deployed(name, '2.0.0');
  write(next.id, { at: at(150, now), line: 'new revision' });
  await arrives('new revision');
  write(id, { at: at(400, now), line: 'last words' });
  await drained(id);
  await arrives('last words');
  write(next.id, { at: at(500, now), line: 'after it' });
  await arrives('after it');
  stop.abort();
  await reading;
  const lines = got.map(({ line }) => line);
  expect(lines).toHaveLength(new Set(lines).size);
  for (const [index, event] of got.entries()) {
    const rest = await linesOf(name, { given: event.id });
    expect({ after: event.line, rest: rest.toSorted() }).toEqual({
      after: event.line,
      rest: lines.slice(index + 1).toSorted(),
    });
  }
}, 60_000);
