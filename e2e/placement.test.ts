// Calls never fail while the containers behind an agent change: by a redeploy, a failed deploy, a restart, a scale or a rollback.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inSoak } from '../server/src/testing/config.ts';
import { printFigures } from '../server/src/testing/print-figures.ts';
import { adminOf } from './api.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { install, type OwnInstallation } from './installation.ts';
import { agentYaml, writeProject } from './write-project.ts';

const waiter = `
import asyncio
import os
import signal
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    seconds: float
    do: str
    said: str

async def act(state: State) -> dict:
    if state.get("do") == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.sleep(state.get("seconds", 0))
    return {"said": "awake"}

graph = StateGraph(State).add_node(act).add_edge(START, "act").add_edge("act", END).compile()
`;
// One caller has half of the places, and the load of the soak needs 42.
const scaling = 'deploy:\n  concurrency: 128\n  scaling: {min: 1, max: 3}\n';

let gantry: OwnInstallation;
let agent: Agent;

beforeAll(async () => {
  gantry = await install({ WARM_SECONDS: '600' });
  await gantry.must('svc team create ml');
  await writeProject(gantry, 'waiter', { 'agent.py': waiter, 'agent.yaml': agentYaml('waiter', scaling) });
  await gantry.must('svc deploy', { in: 'waiter' });
  agent = callAgent(`${gantry.url}/agents/waiter`, await gantry.token());
});
afterAll(async () => await gantry.stop());

interface Load {
  short_per_second: number;
  /** Of 3 s, detached. */
  long_per_second: number;
  /** At any time. */
  open_streams: number;
}

const load = inSoak<Load>(
  { short_per_second: 10, long_per_second: 2, open_streams: 2 },
  { short_per_second: 40, long_per_second: 10, open_streams: 10 },
);

/** Calls until it is stopped. Returns every answer that was not the expected one. */
function traffic({ short_per_second, long_per_second, open_streams }: Load) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const failed: unknown[] = [];
  const short_ms: number[] = [];
  let answered = 0;
  const expectOf = async (call: Promise<{ status: number; text: string }>) => {
    const { status, text } = await call.catch((error: unknown) => ({ status: 0, text: String(error) }));
    if (status === 200 && text.includes('awake')) answered += 1;
    else failed.push({ at: new Date().toISOString(), status, text });
  };
  const every = async (ms: number, begin: () => Promise<void>) => {
    const open: Promise<void>[] = [];
    const began = performance.now();
    for (let n = 1; !signal.aborted; n++) {
      open.push(begin());
      // The rate stays, also when a turn was late.
      await delay(Math.max(0, began + n * ms - performance.now()), undefined, { signal }).catch(() => {}); // stopped
    }
    await Promise.all(open);
  };
  const short = async () => {
    const began = performance.now();
    await expectOf(agent.ask({ seconds: 0.02 }));
    short_ms.push(performance.now() - began);
  };
  const long = async () => {
    const headers = { prefer: 'respond-async' };
    const body = JSON.stringify({ input: { seconds: 3 } });
    const begun = await agent.send('/invoke', { method: 'POST', body, headers });
    if (begun.status !== 202) return await expectOf(Promise.resolve(begun));
    await delay(3000);
    await expectOf(agent.ending(begun.json.run_id));
  };
  const stream = async () => {
    let text = '';
    for await (const event of await agent.stream({ seconds: 2 })) text += JSON.stringify(event);
    if (!text.includes('RUN_FINISHED')) throw new Error(text);
    return { status: 200, text };
  };
  const streams = async () => {
    while (!signal.aborted) await expectOf(stream());
  };
  const ending = Promise.all([
    every(1000 / short_per_second, short),
    every(1000 / long_per_second, async () => await long().catch((error: unknown) => void failed.push(String(error)))),
    ...Array.from({ length: open_streams }, streams),
  ]);
  return {
    stop: async () => {
      stopping.abort();
      await ending;
      const sorted = short_ms.toSorted((one, other) => one - other);
      const at = (share: number) => Math.round(sorted[Math.floor(share * sorted.length)] ?? 0);
      return { failed, answered, short_p50_ms: at(0.5), short_p99_ms: at(0.99) };
    },
  };
}

async function failToDeploy(version: string): Promise<void> {
  const yaml = await readFile(join(gantry.directory, 'waiter/agent.yaml'), 'utf8');
  await writeProject(gantry, 'waiter', {
    'agent.py': `raise RuntimeError("it never starts")\n${waiter}`,
    'agent.yaml': agentYaml('waiter', scaling).replace('1.0.0', version),
  });
  expect((await gantry.type('svc deploy', { in: 'waiter' })).code).not.toBe(0);
  await writeProject(gantry, 'waiter', { 'agent.py': waiter, 'agent.yaml': yaml });
}

const timeout_ms = inSoak(400_000, 2_400_000);

test(
  'no call fails or is refused during redeploys, a failed deploy, a restart, scaling and rollbacks',
  async () => {
    const calls = traffic(load);
    const began = performance.now();
    for (let n = 0; n < inSoak(1, 7); n++) {
      await gantry.must('svc deploy --bump patch', { in: 'waiter' });
      if (n < inSoak(0, 2)) await failToDeploy(`3.${n + 1}.0`);
    }
    await gantry.must('svc scale waiter 3');
    await gantry.must('svc restart waiter');
    await failToDeploy('3.0.0');
    await gantry.must('svc rollback waiter --reason "as it was"');
    await gantry.must('svc rollback waiter');
    await gantry.must('svc scale waiter 1');
    await gantry.must('svc deploy agents/waiter@1.0.0 --force');
    const seconds = Math.round((performance.now() - began) / 1000);
    const changed = await calls.stop();
    expect(changed.failed).toEqual([]);
    expect(changed.answered).toBeGreaterThan(100);
    // Without a change.
    const control_seconds = inSoak(0, 120);
    const control = traffic(load);
    await delay(control_seconds * 1000);
    const unchanged = await control.stop();
    printFigures('placement', { ...load, seconds, changed, control_seconds, unchanged });
    expect(unchanged.failed).toEqual([]);
  },
  timeout_ms,
);

test('a warm rollback is quick, and each operation is in the list with its steps', async () => {
  const admin = await adminOf(gantry);
  const began = performance.now();
  const { id } = await admin.call('agents.rollback', { params: { name: 'waiter' }, query: {}, body: {} });
  const show = async () => await admin.call('deployments.show', { params: { id } });
  await expect.poll(async () => (await show()).state, { interval: 20, timeout: 20_000 }).toBe('done');
  // The figure is the bench's. A cold start takes longer than this.
  expect(performance.now() - began).toBeLessThan(5000);
  const { items } = await admin.call('deployments.list', { query: { agent: 'waiter', limit: 20 } });
  expect(new Set(items.map(({ operation }) => operation))).toEqual(new Set(['deploy', 'rollback', 'restart', 'scale']));
}, 60_000);

test('a container that is killed ends exactly its own calls as interrupted, and the others answer', async () => {
  await gantry.must('svc scale waiter 2');
  const long = async () => {
    const init = { method: 'POST', body: '{"input":{"seconds":6}}', headers: { prefer: 'respond-async' } };
    return (await agent.send('/invoke', init)).json.run_id;
  };
  const ids = await Promise.all(Array.from({ length: 8 }, long));
  await agent.ask({ do: 'die' });
  const ends = await Promise.all(ids.map(async (id) => await agent.ending(id)));
  const interrupted = ends.filter(({ json }) => json.run_status === 'interrupted');
  const whole = ends.filter(({ status, text }) => status === 200 && text.includes('awake'));
  expect([interrupted.length, whole.length]).toEqual([4, 4]);
  const admin = await adminOf(gantry);
  const status = async () => await admin.call('agents.status', { params: { name: 'waiter' } });
  await expect.poll(async () => (await status()).detail, { timeout: 60_000 }).toBe('2 of 2 instances answer.');
}, 120_000);
