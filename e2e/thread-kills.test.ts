// The service or the instance is killed with -9 at the moments of a call on a thread. Nothing acknowledged is gone, no step runs twice except those that
// `may run twice` names, the thread goes on, and no turn stays.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import type { Database } from '../server/src/ground/database/database.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { inSoak } from '../server/src/testing/config.ts';
import { adminOf } from './api.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { databaseOf } from './database-of.ts';
import { engineOf, type Seen } from './engine-of.ts';
import { install, type OwnInstallation } from './installation.ts';
import { isAlive } from './is-alive.ts';
import { atThreadGate, buildThreadGate, closeThreadGate, openThreadGate, type Moment } from './thread-gate.ts';
import { writeProject } from './write-project.ts';

const name = 'stepper';
const steps = ['a', 'b', 'c'];
type Victim = 'service' | 'instance';

/** In `npm test`: the moments at which another party has the work. In `npm run soak`: all of them, and random ones. */
const moments: readonly (readonly [Victim, Moment])[] = inSoak(
  [
    ['service', 'step 2'],
    ['service', 'answer'],
    ['instance', 'step 2'],
  ],
  (['service', 'instance'] as const).flatMap((victim) =>
    (['turn', 'step 0', 'step 1', 'step 2', 'step 3', 'end', 'answer'] as const).map(
      (moment) => [victim, moment] as const,
    ),
  ),
);
const random_rounds = inSoak(1, 20);

let gantry: OwnInstallation;
let admin: Client;
let seen: Seen;
let agent: Agent;

beforeAll(async () => {
  gantry = await install();
  admin = await adminOf(gantry);
  seen = await engineOf(gantry);
  await gantry.must('svc team create ml');
  const code = await readFile(join(import.meta.dirname, `agents/${name}.py`), 'utf8');
  await writeProject(gantry, name, { 'agent.py': code });
  await gantry.must('svc deploy', { in: name });
  agent = callAgent(`${gantry.url}/agents/${name}`, await gantry.token());
  await withDatabase(buildThreadGate);
});
afterEach(async () => await withDatabase(openThreadGate));
afterAll(async () => await gantry.stop());

describe('a call on a thread', () => {
  test.each(moments)(
    'outlasts a killed %s at its %s',
    async (victim, moment) => {
      const thread_id = randomUUID();
      await withDatabase(async (db) => await closeThreadGate(db, moment));
      const begun = begin({ thread_id, input: { asks: false } });
      await withDatabase(atThreadGate);
      await kill[victim]();
      await withDatabase(openThreadGate);
      expect(await leftAfter(thread_id, await begun, ['a', 'b', 'c'])).toEqual([]);
    },
    300_000,
  );

  test.each(inSoak(['end'] as const, ['turn', 'step 3', 'end', 'answer'] as const))(
    'that answers a person outlasts a killed service at its %s',
    async (moment) => {
      const thread_id = randomUUID();
      expect((await again({ thread_id, input: { asks: true } })).json.status).toBe('interrupted');
      await withDatabase(async (db) => await closeThreadGate(db, moment));
      const begun = begin({ thread_id, resume: 'yes' });
      await withDatabase(atThreadGate);
      await kill.service();
      await withDatabase(openThreadGate);
      // The asking step begins once for the question and once for the answer.
      expect(await leftAfter(thread_id, await begun, ['a', 'b', 'yes'], ['c'])).toEqual([]);
    },
    300_000,
  );

  test('outlasts kills at random moments', async () => {
    for (let round = 0; round < random_rounds; round++) {
      const thread_id = randomUUID();
      const begun = begin({ thread_id, input: { asks: false } });
      await delay(Math.random() * 400);
      await kill[round % 2 === 0 ? 'service' : 'instance']();
      expect(await leftAfter(thread_id, await begun, ['a', 'b', 'c'])).toEqual([]);
    }
  }, 1_800_000);
});

/** The id of an acknowledged run. Undefined: the connection broke before. */
async function begin(body: object): Promise<string | undefined> {
  const sent = { method: 'POST', body: JSON.stringify(body), headers: { prefer: 'respond-async' } };
  const called = await agent.send('/invoke', sent).catch(() => undefined);
  if (called === undefined) return undefined;
  expect(called).toMatchObject({ status: 202 });
  return called.json.run_id;
}

/** Lets the call and the next one come to their ends. Returns the steps that began more often than they may. `asked`: steps that begin once more for an answer. */
async function leftAfter(
  thread: string,
  run_id: string | undefined,
  said: readonly string[],
  asked: readonly string[] = [],
): Promise<string[]> {
  const body = asked.length > 0 ? { resume: 'yes' } : { input: { asks: false } };
  let called = run_id === undefined ? await again({ thread_id: thread, ...body }) : await agent.ending(run_id);
  expect(called.status, 'an acknowledged run is there').not.toBe(404);
  const twice: string[] = [...asked];
  // An ended run without an answer says so, and its thread says where it goes on.
  for (let n = 0; called.status !== 200 && n < 3; n++) {
    expect(called.json.code).toEqual(expect.any(String));
    const { state, continues_at, latest } = await admin.call('threads.show', { params: { name, thread } });
    if (state === 'waiting') called = await again({ thread_id: thread, resume: 'yes' });
    else if (state === 'interrupted') {
      // Steps that follow one another have begun too when their writes were held.
      twice.push(...steps.slice(steps.indexOf(continues_at[0] ?? '')));
      called = await again({ thread_id: thread, resume: null });
    } else if (latest?.values['said'] === undefined) called = await again({ thread_id: thread, ...body });
    else {
      // Its last step is stored, and its answer is lost.
      called = { ...called, status: 200, json: { status: 'completed', output: latest.values } };
    }
  }
  expect(called).toMatchObject({ status: 200, json: { status: 'completed', output: { said } } });
  const result = called.json.output?.result as string[];
  const beyond = [...result];
  for (const step of [...steps, ...twice]) {
    const at = beyond.indexOf(step);
    if (at >= 0) beyond.splice(at, 1);
  }
  expect([...new Set(result)]).toEqual(steps);
  const next = await again({ thread_id: thread, input: { asks: false } });
  expect(next).toMatchObject({ status: 200, json: { output: { said: [...said, 'a', 'b', 'c'] } } });
  const turns = async () => await withDatabase(openTurns);
  await expect.poll(turns, { timeout: 20_000 }).toEqual([]);
  return beyond;
}

const openTurns = async (db: Database) =>
  await db.all(sql`select u.run_id from thread_turn u join invocation i on i.id = u.run_id where i.state = 'running'`);

/** Once the killed party is there again. A call that is refused with 503 has not begun. */
async function again(body: object): ReturnType<Agent['send']> {
  const send = async () => await agent.send('/invoke', { method: 'POST', body: JSON.stringify(body) });
  let called = await send();
  await expect
    .poll(async () => (called.status === 503 ? (called = await send()) : called).status, { timeout: 90_000 })
    .not.toBe(503);
  return called.status === 202 ? await agent.ending(called.json.run_id) : called;
}

const kill: Record<Victim, () => Promise<void>> = {
  service: async () => {
    const pid = await gantry.pid();
    process.kill(pid, 'SIGKILL');
    await expect.poll(async () => await isAlive(pid)).toBe(false);
    await gantry.must('svc server start');
  },
  instance: async () => {
    // It may be about to start again after the kill before.
    await expect.poll(async () => await seen.running('agent'), { timeout: 60_000 }).toHaveLength(1);
    const [container = ''] = await seen.running('agent');
    await seen.engine.docker.getContainer(container).kill();
    // The next start would wait longer after each kill.
    await withDatabase(async (db) => await db.run(sql`update instance set failures = 0, next_start_at = null`));
  },
};

async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = await databaseOf(gantry);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
