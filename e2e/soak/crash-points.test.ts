// The service is killed with -9 at each point of a deploy, a rollback and a scale. The next start ends the work once, and nothing is lost.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { operationSteps } from '@gantry/contract/agents/deploy.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { adminOf, ended } from '../api.ts';
import { callAgent, type Agent } from '../call-agent.ts';
import { databaseOf } from '../database-of.ts';
import { engineOf, type Seen } from '../engine-of.ts';
import { install, type OwnInstallation } from '../installation.ts';
import { isAlive } from '../is-alive.ts';
import { atGate, setGate } from '../step-gate.ts';
import { agentYaml, writeProject } from '../write-project.ts';

// Before: the step has worked, and its record is missing. After: its record is there, and the next step has not begun.
// A cell says who answers at the crash, and who answers in the end. An empty cell: the operation has no such step.
// A scale has one step. Its container has a place, answers, and is counted as an instance, in the rows with these effects.
// `npm test` has the points of a deploy in survival.test.ts, and those of all three, with a worker that dies, in
// server/src/agents/deploy/pipeline.test.ts and operate/killed.test.ts.
const table = `
  point             | deploy        | rollback      | scale
  validate before   | old → new     |               |
  validate after    | old → new     |               |
  authorize before  | old → new     | old → new     |
  authorize after   | old → new     | old → new     |
  resolve before    | old → new     | old → new     |
  resolve after     | old → new     | old → new     |
  build before      | old → new     |               |
  build after       | old → new     |               |
  provision before  | old → new     | old → new     | n → n + 1
  provision after   | old → new     | old → new     |
  start before      | old → new     | old → new     | n → n + 1
  start after       | old → new     | old → new     |
  register before   | new → new     | new → new     | n + 1 → n + 1
  register after    | new → new     | new → new     |
  endpoint before   | new → new     | new → new     |
  endpoint after    | new → new     | new → new     | n + 1 → n + 1
`;
const operations = ['deploy', 'rollback', 'scale'] as const;
type Operation = (typeof operations)[number];

const [, ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));
const cells = operations.flatMap((operation, column) =>
  rows.flatMap(([point = '', ...ends]) => {
    const cell = ends[column] ?? '';
    if (cell === '') return [];
    const [at_crash = '', in_the_end = ''] = cell.split(' → ');
    const named = { operation, point, at_crash, in_the_end };
    return [[`${operation}, ${point}: ${at_crash} → ${in_the_end}`, named] as const];
  }),
);

const agentSaying = (version: string) => `
import asyncio
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    seconds: float
    version: str

async def act(state: State) -> dict:
    await asyncio.sleep(state.get("seconds", 0))
    return {"version": "${version}"}

graph = StateGraph(State).add_node(act).add_edge(START, "act").add_edge("act", END).compile()
`;
const versions = ['1.0.0', '2.0.0'] as const;
// The scale column adds one instance in each cell.
const scaling = 'deploy:\n  scaling: {min: 1, max: 5, target_cpu: 100}\n';
const name = 'survivor';

let gantry: OwnInstallation;
let admin: Client;
let seen: Seen;
let agent: Agent;

beforeAll(async () => {
  gantry = await install();
  admin = await adminOf(gantry);
  seen = await engineOf(gantry);
  agent = callAgent(`${gantry.url}/agents/${name}`, await gantry.token());
  await gantry.must('svc team create ml');
  for (const version of versions) {
    const yaml = agentYaml(name, scaling).replace('1.0.0', version);
    await writeProject(gantry, name, { 'agent.py': agentSaying(version), 'agent.yaml': yaml });
    await gantry.must(version === versions[0] ? 'svc deploy' : 'svc submit --message next', { in: name });
  }
});
afterAll(async () => await gantry.stop());

describe('a service that is killed with -9 ends the work once, with nothing lost and nothing left', () => {
  test.each(cells)('%s', async (_, { operation, point, at_crash, in_the_end }) => {
    const [old, n] = [await answeringVersion(), (await status()).instances.length];
    const next = operation === 'scale' ? old : (versions.find((version) => version !== old) ?? '');
    const meanings = {
      old: { version: old, instances: n },
      new: { version: next, instances: n },
      n: { version: old, instances: n },
      'n + 1': { version: old, instances: n + 1 },
    };
    const meaning = (cell: string) => meanings[cell as keyof typeof meanings];
    const answering = async () => ({ version: await answeringVersion(), instances: await countAnswering() });
    const { head } = await admin.call('audit.verify', { query: {} });

    await setGate(gantry, recordAt(operation, point));
    const { id } = await begin[operation](next, n + 1);
    await atGate(gantry);
    await setGate(gantry, undefined);
    expect(await answering()).toEqual(meaning(at_crash));
    const call = await agent.send('/invoke', {
      method: 'POST',
      body: '{"input":{"seconds":2}}',
      headers: { prefer: 'respond-async' },
    });
    expect(call.status).toBe(202);
    await killAndStart();

    const { version } = meaning(at_crash);
    expect(await agent.ending(call.json.run_id)).toMatchObject({ status: 200, json: { output: { version } } });
    const run = await ended(admin, name);
    expect(run).toMatchObject({ id, operation, state: 'done', problem: null });
    expect(run.steps.map((step) => `${step.name} ${step.state}`)).toEqual(
      operationSteps[operation].map((step) => `${step} done`),
    );
    await expect.poll(answering, { timeout: 60_000 }).toEqual(meaning(in_the_end));
    const { instances } = meaning(in_the_end);
    await expect
      .poll(remaining, { timeout: 60_000 })
      .toEqual({ containers: instances, secrets: instances, sandboxes: 0 });
    expect(await entriesOf(operation, id)).toBe(1);
    expect((await admin.call('audit.verify', { query: { head } })).verdict).toBe('true_as_anchored');
  });
});

/** The record that is missing at the crash. */
function recordAt(operation: Operation, point: string): string {
  const [step = '', when] = point.split(' ');
  if (operation === 'scale') return recordsOfScale[point as keyof typeof recordsOfScale]; // the points of its column
  if (when === 'before') return `${step} done`;
  const steps: readonly string[] = operationSteps[operation];
  const following = steps[steps.indexOf(step) + 1];
  return following === undefined ? 'run done' : `${following} running`;
}

const recordsOfScale = {
  'provision before': 'place starting',
  'start before': 'url serving',
  'register before': 'scale done',
  'endpoint after': 'run done',
};

const begin = {
  deploy: async (version: string) =>
    await admin.call('deployments.create', { body: { ref: `agents/${name}@${version}`, force: true } }),
  rollback: async () => await admin.call('agents.rollback', { params: { name }, body: {} }),
  scale: async (_: string, instances: number) =>
    await admin.call('agents.scale', { params: { name }, body: { instances } }),
};

const status = async () => await admin.call('agents.status', { params: { name } });
const countAnswering = async () => (await status()).instances.filter(({ state }) => state === 'serving').length;

async function answeringVersion(): Promise<string> {
  const { status: code, text, json } = await agent.ask({ seconds: 0 });
  expect(code, text).toBe(200);
  return String(json.output?.['version']);
}

async function remaining() {
  const [containers, sandboxes] = [await seen.containers('agent'), await seen.containers('sandbox')];
  const files = await seen.secrets();
  return { containers: containers.length, secrets: files.length, sandboxes: sandboxes.length };
}

const events = { deploy: 'deploy', rollback: 'deploy.rolled_back', scale: 'agent.scaled' };

/** In the audit log. */
async function entriesOf(operation: Operation, run_id: string): Promise<number> {
  const db = await databaseOf(gantry);
  const entries = await db.all(
    sql`select from audit.entry where event = ${events[operation]} and body::json -> 'detail' ->> 'run_id' = ${run_id}`,
  );
  await db.close();
  return entries.length;
}

async function killAndStart(): Promise<void> {
  const pid = await gantry.pid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => await isAlive(pid)).toBe(false);
  await gantry.must('svc server start');
}
