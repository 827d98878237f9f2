// Orchestrations of real agents in containers: each strategy, the rights of each call, its limits, and what a crash leaves.
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';
import { adminOf } from '../api.ts';
import { engineOf } from '../engine-of.ts';
import type { Installation } from '../installation.ts';
import { orchestrating, type Orchestrating } from '../orchestrating.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation } from './shared-installation.ts';

const clone = join(import.meta.dirname, '../..');
const names = ['ann', 'bob', 'cleo'];

let gantry: Installation;
let call: Orchestrating['call'];
let deploy: Orchestrating['deploy'];
let ended: Orchestrating['ended'];
let push: Orchestrating['push'];
let read: Orchestrating['read'];

beforeAll(async () => {
  gantry = await sharedInstallation('ml');
  ({ call, deploy, ended, push, read } = orchestrating(gantry));
  await gantry.must('svc team create ops');
  await gantry.person('max', 'viewer');
  await gantry.must('svc team add ml user:max@example.com --role viewer');
  const agent = await readFile(join(clone, 'e2e/agents/member.py'), 'utf8');
  for (const name of names) {
    const more = `description: does ${name}\naccess: {visibility: team}\ndeploy:\n  env_vars: {NAME: ${name}}\n`;
    await writeProject(gantry, name, { 'agent.yaml': agentYaml(name, more), 'agent.py': agent });
    await gantry.must('svc deploy', { in: name });
  }
  await Promise.all(Object.entries(flows).map(async ([name, yaml]) => await deploy(name, yaml)));
});

const members = (more: Record<string, string> = {}) =>
  `agents:\n${names.map((name) => `  ${name}: {ref: agents/${name}, output: /answer${more[name] ?? ''}}\n`).join('')}`;

const flows = {
  chain: `strategy: sequential\n${members()}`,
  side: `strategy: parallel\non_error: continue\n${members()}`,
  strict: `strategy: parallel\n${members()}`,
  merge: `strategy: fan_out_fan_in\nsupervisor_config: {merge_agent: cleo}\n${members()}`,
  desk: `strategy: router\n${members({ ann: ', routes: [{condition: invoice, target: bob}, {condition: default, target: cleo}]' })}`,
  team: `strategy: hierarchical\non_error: continue\nsupervisor_config: {supervisor_agent: ann}\n${members()}`,
  spare: `strategy: sequential\nagents:\n  ann: {ref: agents/ann, output: /answer, fallback: bob}\n  bob: {ref: agents/bob, output: /answer}\n`,
  brief: `strategy: sequential\ntimeout_seconds: 2\n${members()}`,
};

describe('strategies', () => {
  test('sequential: each member gets the text of the one before', async () => {
    const { status, json } = await call('chain', 'hi');
    expect(json).toMatchObject({ status: 'done', output: { text: 'cleo(bob(ann(hi)))' } });
    expect(status).toBe(200);
    const run = await read('chain', { status, json });
    expect(run.steps.map(({ path, state, agent, version }) => [path, state, agent, version])).toEqual(
      names.map((name) => [name, 'done', `agents/${name}`, '1.0.0']),
    );
  });

  test('one trace has the run, and below it each call of a member', async () => {
    const answered = await call('chain', 'hi');
    const admin = await adminOf(gantry);
    const entry = async () => {
      const { items } = await admin.call('traces.list', { query: { limit: 50 } });
      return items.find(({ run_id }) => run_id === answered.json['run_id']);
    };
    await expect.poll(entry, { timeout: 20_000 }).toMatchObject({ name: 'orchestrate chain', status: 'ok' });
    const { trace_id = '', span_id } = (await entry()) ?? {};
    const { spans } = await admin.call('traces.show', { params: { id: trace_id } });
    const below = spans.filter(({ parent_id }) => parent_id === span_id).map(({ name }) => name);
    expect(below).toEqual(names.map((name) => `invoke ${name}`));
  });

  test('parallel: all members get the input, and with `continue` a failed one makes the answer partial', async () => {
    const { json } = await call('side', 'fail bob');
    expect(json).toMatchObject({
      status: 'partial',
      output: {
        text: null,
        members: {
          ann: { status: 'done', output: 'ann(fail bob)' },
          bob: { status: 'failed' },
          cleo: { status: 'done' },
        },
      },
    });
    expect(await call('strict', 'fail bob')).toMatchObject({
      status: 502,
      json: { code: 'member_failed', agent: 'agents/bob' },
    });
  });

  test('fan_out_fan_in: the merge agent gets the answers', async () => {
    const { json } = await call('merge', 'hi');
    expect(json).toMatchObject({ output: { text: 'cleo merged {"ann": "ann(hi)", "bob": "bob(hi)"}' } });
  });

  test('router: the route that fits gets the call, and only it', async () => {
    const answered = await call('desk', 'my Invoice');
    expect(answered.json).toMatchObject({ output: { text: 'bob(my Invoice)', members: { bob: { status: 'done' } } } });
    expect((await read('desk', answered)).steps.map(({ path }) => path)).toEqual(['bob']);
    expect(await call('desk', 'hello')).toMatchObject({ json: { output: { text: 'cleo(hello)' } } });
  });

  test('supervisor: it names the calls, and answers from what came back', async () => {
    const answered = await call('team', 'fail bob');
    expect(answered.json).toMatchObject({ status: 'partial', output: { text: 'ann heard failed; cleo(fail bob)' } });
    expect((await read('team', answered)).steps.map(({ path }) => path)).toEqual([
      '1:ann',
      '1:1:bob',
      '1:2:cleo',
      '2:ann',
    ]);
  });

  test('a fallback is called when its member fails', async () => {
    const answered = await call('spare', 'fail ann');
    expect(answered.json).toMatchObject({ output: { text: 'bob(bob(fail ann))' } });
    expect((await read('spare', answered)).steps.map(({ path, state }) => `${path} ${state}`)).toEqual([
      'ann failed',
      'ann:fallback:bob done',
      'bob done',
    ]);
  });
});

describe('what a member may do to a run', () => {
  test('an answer over 1 MB fails', async () => {
    expect(await call('chain', 'x'.repeat(1024 ** 2))).toMatchObject({ status: 413, json: { code: 'too_large' } });
    expect(await call('chain', 'huge')).toMatchObject({
      json: { code: 'member_failed', detail: expect.stringContaining('larger than 1 MB') },
    });
  });

  test('a member waits for a person: the run waits with it, and goes on with the answer', async () => {
    const begun = await call('chain', 'ask', { as: 'max' });
    expect(begun).toMatchObject({ status: 202, json: { status: 'waiting' } });
    expect(await read('chain', begun)).toMatchObject({
      state: 'waiting',
      steps: [{ path: 'ann', state: 'waiting' }],
      notices: ['ann waits for a person. The inbox has its question.'],
    });
    const [asked] = JSON.parse((await gantry.must('svc inbox --json', { as: 'max' })).stdout) as { thread: string }[];
    expect(asked).toMatchObject({
      agent: 'agents/ann',
      orchestration: 'orchestrations/chain',
      is_own: true,
      interrupts: [{ value: 'a person' }],
    });
    await gantry.must(`svc answer ann ${asked?.thread} tea`, { as: 'max' });
    expect(await ended('chain', begun)).toMatchObject({
      state: 'done',
      steps: [
        { path: 'ann', state: 'done' },
        { path: 'bob', state: 'done' },
        { path: 'cleo', state: 'done' },
      ],
    });
    const run = `svc orchestration run chain --run ${String(begun.json['run_id'])}`;
    expect((await gantry.must(run, { as: 'max' })).output).toContain('cleo(bob(ann heard tea))');
    expect((await gantry.type(`svc answer ann ${asked?.thread} again`, { as: 'max' })).code).not.toBe(0);
  });

  test('the members beside one that waits go on, and a cancel ends the run and its question', async () => {
    const begun = await call('strict', 'ask', { as: 'max' });
    expect(begun.json).toMatchObject({ status: 'waiting' });
    const { steps } = await read('strict', begun);
    expect(steps.map(({ path, state }) => `${path} ${state}`)).toEqual(['ann waiting', 'bob waiting', 'cleo waiting']);
    await gantry.must(`svc orchestration cancel strict ${String(begun.json['run_id'])}`, { as: 'max' });
    expect(await ended('strict', begun)).toMatchObject({ state: 'cancelled' });
    expect((await gantry.must('svc inbox', { as: 'max' })).output).toContain('Nothing waits for you.');
  });

  test('after timeout_seconds the run ends, and so does the call in the container', async () => {
    const answered = await call('brief', 'slow 60');
    expect(answered).toMatchObject({ status: 504, json: { code: 'run_timeout' } });
    const admin = await adminOf(gantry);
    await expect
      .poll(async () => (await admin.call('agents.status', { params: { name: 'ann' } })).in_flight ?? 0)
      .toBe(0);
  });

  test('a cancel ends the run and the calls of its members', async () => {
    const begun = await call('side', 'slow 60', { prefer: 'respond-async' });
    expect(begun.status).toBe(202);
    const params = { name: 'side', run_id: String(begun.json['run_id']) };
    await expect.poll(async () => (await read('side', begun)).steps.length).toBe(3);
    const admin = await adminOf(gantry);
    await admin.call('orchestrate.cancel', { params });
    expect(await ended('side', begun)).toMatchObject({ state: 'cancelled', notices: [] });
  });
});

describe('rights', () => {
  test('a caller with `use` on the orchestration needs none on its members, and without it is refused', async () => {
    await push('private', `strategy: sequential\n${members()}`);
    await gantry.must('svc orchestration deploy private');
    for (const name of ['ann', 'bob', 'cleo'])
      await gantry.must(`svc acl revoke --asset agents/${name} --principal team:ml --actions use`);
    for (const name of ['ann', 'bob', 'cleo'])
      await gantry.must(`svc acl grant --asset agents/${name} --principal orchestration:private --actions use`);
    try {
      expect(await call('private', 'hi', { as: 'max' })).toMatchObject({
        status: 200,
        json: { output: { text: 'cleo(bob(ann(hi)))' } },
      });
      const direct = await fetch(`${gantry.url}/agents/ann/invoke`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await gantry.token('max')}`, 'content-type': 'application/json' },
        body: '{"input":{"text":"hi"}}',
      });
      expect(direct.status).toBe(403);
      await gantry.must('svc acl revoke --asset agents/bob --principal orchestration:private --actions use');
      const refused = await call('private', 'hi', { as: 'max' });
      expect(refused).toMatchObject({
        status: 403,
        json: { code: 'forbidden', hint: expect.stringContaining('orchestration:private') },
      });
      await gantry.must('svc acl revoke --asset orchestrations/private --principal team:ml --actions use');
      expect(await call('private', 'hi', { as: 'max' })).toMatchObject({ status: 403 });
    } finally {
      for (const name of ['ann', 'bob', 'cleo'])
        await gantry.must(`svc acl grant --asset agents/${name} --principal team:ml --actions use`);
    }
  });

  test('a push and a deploy say which members cannot be called, with the command for each', async () => {
    const said = await push('foreign', `strategy: sequential\n${members()}`, 'ops');
    expect(said).toContain('svc acl grant --asset agents/ann --principal orchestration:foreign --actions use');
    const refused = await gantry.type('svc orchestration deploy foreign');
    expect(refused.output).toContain('3 of the members of orchestrations/foreign@1.0.0 cannot be called');
  });

  test('only the caller of a run reads its output, and the run of another caller is gone for the others', async () => {
    const answered = await call('chain', 'a secret', { as: 'max' });
    expect(answered.status).toBe(200);
    const run = await read('chain', answered);
    expect(run.output).toBeNull();
    expect(run.caller).toBe('max@example.com');
    const mine = await call('chain', 'mine');
    const response = await fetch(`${gantry.url}/orchestrations/chain/runs/${String(mine.json['run_id'])}`, {
      headers: { authorization: `Bearer ${await gantry.token('max')}` },
    });
    expect(response.status).toBe(404);
  });
});

interface AguiEvent extends Record<string, unknown> {
  type: string;
  metadata?: { path: string };
}

async function* streamOf(name: string, input: string): AsyncGenerator<AguiEvent> {
  const response = await fetch(`${gantry.url}/orchestrations/${name}/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await gantry.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  });
  if (response.body === null) throw new Error('the answer has no body');
  for await (const { data } of readServerSentEvents(response.body)) yield JSON.parse(data) as AguiEvent;
}

const textOf = (events: readonly AguiEvent[], path: string) =>
  events
    .filter(({ type, metadata }) => type === 'TEXT_MESSAGE_CONTENT' && metadata?.path === path)
    .map(({ delta }) => delta)
    .join('');

describe('streams', () => {
  test('each call of a member is a step, with the steps of the member in it', async () => {
    const events = await Array.fromAsync(streamOf('chain', 'hi'));
    const steps = events.flatMap(({ type, stepName }) =>
      type.startsWith('STEP_') ? [`${type} ${String(stepName)}`] : [],
    );
    expect(steps).toEqual(
      names.flatMap((name) => [
        `STEP_STARTED ${name}`,
        `STEP_STARTED ${name}/work`,
        `STEP_FINISHED ${name}/work`,
        `STEP_FINISHED ${name}`,
      ]),
    );
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: { output: { text: 'cleo(bob(ann(hi)))' } } });
  });

  test('two members speak side by side while they are heard, each under its call', async () => {
    const yaml = `strategy: parallel\nagents:\n  ann: {ref: agents/ann, output: /answer}\n  bob: {ref: agents/bob, output: /answer}\n`;
    await deploy('duet', yaml);
    const heard: AguiEvent[] = [];
    let hasLetGo = false;
    for await (const event of streamOf('duet', 'say together')) {
      heard.push(event);
      if (hasLetGo || textOf(heard, 'ann') === '' || textOf(heard, 'bob') === '') continue;
      // Both wait in the middle of a sentence, so neither has an answer yet.
      hasLetGo = true;
      expect([textOf(heard, 'ann'), textOf(heard, 'bob')]).toEqual(['ann says ', 'bob says ']);
      await Promise.all(['ann', 'bob'].map(async (name) => await gantry.must(`svc invoke ${name} go`)));
    }
    expect([textOf(heard, 'ann'), textOf(heard, 'bob')]).toEqual(['ann says together', 'bob says together']);
    expect(heard.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      result: { output: { members: { ann: { output: 'ann says together' }, bob: { output: 'bob says together' } } } },
    });
    const nested = heard.filter(({ subagentRunId }) => subagentRunId !== undefined);
    const calls = Map.groupBy(nested, ({ subagentRunId }) => subagentRunId);
    expect([...calls.values()].map((events) => new Set(events.map(({ metadata }) => metadata?.path)).size)).toEqual([
      1, 1,
    ]);
    const of = (wanted: string) => heard.flatMap(({ type, messageId }) => (type === wanted ? [messageId] : []));
    expect(of('TEXT_MESSAGE_START')).toHaveLength(2);
    expect(new Set(of('TEXT_MESSAGE_START')).size).toBe(2);
    expect(new Set(of('TEXT_MESSAGE_END'))).toEqual(new Set(of('TEXT_MESSAGE_START')));
  });

  test('the guardrail of a member holds for its nested text, also for a value that two pieces share', async () => {
    const agent = await readFile(join(clone, 'e2e/agents/member.py'), 'utf8');
    const yaml = agentYaml('dora', 'guardrails: [pii_detection]\ndeploy:\n  env_vars: {NAME: dora}\n');
    await writeProject(gantry, 'dora', { 'agent.yaml': yaml, 'agent.py': agent });
    await gantry.must('svc deploy', { in: 'dora' });
    await gantry.must('svc invoke dora go');
    await deploy('discreet', `strategy: sequential\nagents:\n  dora: {ref: agents/dora, output: /answer}\n`);
    const events = await Array.fromAsync(streamOf('discreet', 'say mail'));
    expect(textOf(events, 'dora')).toBe('dora says [EMAIL_1]');
    expect(JSON.stringify(events)).not.toContain('example.com');
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: { output: { text: 'dora says [EMAIL_1]' } } });
  });

  test('a reader who leaves while members speak cancels the run', async () => {
    let run_id: unknown;
    for await (const event of streamOf('side', 'slow 60')) {
      run_id ??= event['runId'];
      if (event.type === 'STEP_STARTED' && event['subagentRunId'] !== undefined) break;
    }
    expect(await ended('side', { status: 200, json: { run_id } })).toMatchObject({ state: 'cancelled', notices: [] });
  });
});

test('100 runs of one caller at once: half of the places execute the first 32, and the others are refused with a time to wait', async () => {
  const one = async () => await call('side', 'slow 1', { as: 'max' });
  const answers = await Promise.all(Array.from({ length: 100 }, one));
  const statuses = Map.groupBy(answers, ({ status }) => status);
  expect(new Set(statuses.keys())).toEqual(new Set([200, 429]));
  expect(statuses.get(200)?.length).toBeGreaterThanOrEqual(32);
});

// Files as other products have them: routes at several members, fallbacks to the lead, and fields without an effect here.
test.each([
  ['support-router', 'an error', 'bob(an error)', ['technical-agent']],
  ['text-pipeline', 'tea', 'cleo(bob(ann(tea)))', ['read-agent', 'clean-agent', 'shorten-agent']],
  [
    'several-views',
    'tea',
    'cleo merged {"money-view": "ann(tea)", "risk-view": "bob(tea)"}',
    ['money-view', 'risk-view', 'editor'],
  ],
  [
    'research-lead',
    'tea',
    'ann heard bob(tea); cleo(tea)',
    ['1:lead', '1:1:web-reader', '1:2:general-reader', '2:lead'],
  ],
  ['support-desk', 'tea', 'ann heard bob(tea); cleo(tea)', ['1:desk', '1:1:billing', '1:2:checker', '2:desk']],
])('the file of %s is valid, deploys and runs', async (name, question, answer, paths) => {
  await cp(join(clone, 'e2e/orchestrations', name), join(gantry.directory, name), { recursive: true });
  const valid = await gantry.must('svc orchestration validate', { in: name });
  expect(valid.output).toContain('`shared_state` is not in effect');
  await gantry.must('svc orchestration deploy', { in: name });
  const { stdout } = await gantry.must(`svc orchestration run ${name} "${question}" --json`);
  const { output, steps } = JSON.parse(stdout) as OrchestrationRun;
  expect(output?.text).toBe(answer);
  expect(steps.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
});

test('kill -9 of a member: its call is lost and not sent again, and the run fails', async () => {
  const seen = await engineOf(gantry);
  const begun = await call('chain', 'slow 20', { prefer: 'respond-async' });
  const admin = await adminOf(gantry);
  await expect
    .poll(async () => (await admin.call('agents.status', { params: { name: 'ann' } })).in_flight, { timeout: 20_000 })
    .toBe(1);
  const [name] = (await seen.containers('agent')).filter((one) => one.includes('ann'));
  await seen.engine.docker.getContainer(String(name)).kill();
  expect(await ended('chain', begun)).toMatchObject({ state: 'failed', problem: { code: 'member_failed' } });
});

// Each example is a folder with the projects of its members. The one with a model is in projects.test.ts.
const examples = [
  ['router', 'shop', 'What is the price of tea?', 'tea costs 3.20 euros.'],
  ['fan-out', 'review', 'Thanks for the cake', 'length: 4 words; tone: friendly'],
  ['supervisor', 'trip', 'A day in Paris', 'In Paris it is sunny. See the Louvre.'],
] as const;

test.each(examples)('the example %s deploys with one command and answers', async (example, name, question, answer) => {
  await cp(join(clone, 'examples', `orchestration-${example}`), join(gantry.directory, example), { recursive: true });
  const deployed = await gantry.must('svc orchestration deploy', { in: example, timeout_ms: 200_000 });
  expect(deployed.output).toContain(`orchestrations/${name}@1.0.0 answers at /orchestrations/${name}/invoke`);
  const ran = await gantry.must(`svc orchestration run ${name} "${question}"`);
  expect(ran.output).toContain(answer);
  expect((await gantry.must(`svc orchestration runs ${name}`)).output).toContain('done');
});
