// Crews in containers, from `svc init` to the answer: the real framework. Most have models that are classes of the projects.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { adminOf } from '../api.ts';
import { callAgent, type Agent } from '../call-agent.ts';
import { databaseOf } from '../database-of.ts';
import { addModel, deployProject } from '../deploy-project.ts';
import type { Ran } from '../installation.ts';
import { orchestrating } from '../orchestrating.ts';
import { outsideServer, type OutsideServer } from '../outside-server.ts';
import { tracedRuns } from '../traced-runs.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { crewMemoryTests } from './crew-memory.ts';
import { sync_budget_seconds } from './limits.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';

const clone = join(import.meta.dirname, '../..');
const example = join(clone, 'examples/crewai-greeter');

let gantry: SharedInstallation;
let deployed: Ran;

beforeAll(async () => {
  gantry = await sharedInstallation('crews');
  await gantry.must('mkdir empty && cd empty && svc init tea --framework crewai --team crews');
  deployed = await gantry.must('svc deploy', { in: 'empty/tea' });
  await Promise.all([
    crewai('obedient', await codeOf('e2e/agents/crew.py')),
    crewai('parroting', await codeOf('wrapper/tests/agents/single_agent/agent.py')),
  ]);
});

const codeOf = async (path: string) => await readFile(join(clone, path), 'utf8');

/** With the example's requirements, so that all share one dependency image. It takes minutes on a busy machine. */
async function crewai(name: string, code: string): Promise<void> {
  await writeProject(gantry, name, {
    'agent.yaml': agentYaml(name, '', gantry.team).replace('langgraph', 'crewai'),
    'agent.py': code,
    'requirements.txt': await readFile(join(example, 'requirements.txt'), 'utf8'),
  });
  await gantry.must('svc deploy', { in: name });
}

async function caller(agent: string): Promise<Agent> {
  return callAgent(`${gantry.url}/agents/${agent}`, await gantry.token());
}

/** The events of a stream, as a program reads them from `svc`. */
async function eventsOf(agent: string, input: object): Promise<{ type: string; [field: string]: unknown }[]> {
  const { stdout } = await gantry.type(`svc invoke ${agent} - --stream --json`, { stdin: JSON.stringify(input) });
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { type: string });
}

describe('the project of `svc init --framework crewai`', () => {
  const facts = 'Three things about tea: it is old, it is loved, it is never finished.';
  const greeting = `Hello! Let us talk about tea. ${facts}`;

  test('is valid and deploys unchanged', async () => {
    const { stdout } = await gantry.must('svc validate', { in: 'empty/tea' });
    expect(stdout).toContain('tea 1.0.0 can be deployed: crewai, exported as crew');
    expect(deployed.output).toContain('agents/tea@1.0.0 answers');
    // The printed next step is a valid command.
    const next = /next: (svc invoke tea '.*')/.exec(deployed.output)?.[1];
    expect((await gantry.must(next ?? 'false')).stdout).toContain('Let us talk about hi.');
    const [made, origin] = await Promise.all(
      [join(gantry.directory, 'empty/tea'), example].map((folder) => readFile(join(folder, 'agent.py'), 'utf8')),
    );
    expect(made).toBe(origin?.replace('svc invoke crew-greeter', 'svc invoke tea'));
  });

  test('answers `svc invoke` and a plain HTTP client with the same output', async () => {
    const people = await gantry.must(`svc invoke tea '{"topic": "tea"}'`);
    expect(people.stdout).toBe(`${greeting}\n`);
    const programs = await gantry.must(`svc invoke tea '{"topic": "tea"}' --json`);
    const { status, json } = await (await caller('tea')).ask({ topic: 'tea' });
    expect(status).toBe(200);
    expect(json.output).toEqual((JSON.parse(programs.stdout) as typeof json).output);
    expect(json.output).toMatchObject({
      raw: greeting,
      tasks: [
        { name: 'research', agent: 'Researcher', raw: facts },
        { name: 'welcome', agent: 'Host', raw: greeting },
      ],
      tool_failures: [],
    });
  });

  test('streams its tasks one after the other, and ends', async () => {
    const events = await eventsOf('tea', { topic: 'tea' });
    const text = (delta: string) => ['TEXT_MESSAGE_START', `TEXT_MESSAGE_CONTENT ${delta}`, 'TEXT_MESSAGE_END'];
    const step = (name: string, inside: string[]) => [`STEP_STARTED ${name}`, ...inside, `STEP_FINISHED ${name}`];
    expect(events.map(({ type, stepName, delta }) => [type, stepName, delta].filter(Boolean).join(' '))).toEqual([
      'RUN_STARTED',
      ...step('research', text(facts)),
      ...step('welcome', text(greeting)),
      'RUN_FINISHED',
    ]);
    expect(events.at(-1)).toMatchObject({ result: { raw: greeting }, outcome: { type: 'success' } });
  });

  test('streams one line per task to people', async () => {
    const { stdout } = await gantry.must(`svc invoke tea '{"topic": "tea"}' --stream`);
    expect(stdout).toBe(`${facts}\n${greeting}\n`);
  });

  test('names the variable that a call lacks', async () => {
    const { code, output } = await gantry.type('svc invoke tea');
    expect(code).toBe(1);
    expect(output).toContain("'topic' is required");
  });
});

describe('a crew', () => {
  let crew: Agent;
  beforeAll(async () => {
    crew = await caller('obedient');
  });

  test('with a long run gets 202, and its answer when it has ended', async () => {
    const sent = performance.now();
    const { status, json } = await crew.send('/invoke', { method: 'POST', body: '{"input":{"topic":"wait"}}' });
    expect(performance.now() - sent).toBeGreaterThan(sync_budget_seconds * 1000 - 50);
    expect({ status, state: json.status }).toEqual({ status: 202, state: 'running' });
    await crew.ask({ topic: 'open' });
    expect(await crew.ending(json.run_id)).toMatchObject({
      status: 200,
      json: { run_id: json.run_id, status: 'completed', output: { raw: 'about wait' } },
    });
    const later = await gantry.must(`svc invoke obedient --run ${json.run_id}`);
    expect(later.stdout).toBe('about wait\n');
  });

  test('prints into the log of its agent', async () => {
    await crew.ask({ topic: 'coffee' });
    // The engine records the container's output with a short delay.
    await vi.waitFor(
      async () => expect((await gantry.must('svc logs obedient')).stdout).toMatch(/Z asked about coffee$/m),
      { timeout: 20_000 },
    );
  });

  test('that continued after a failed tool names the exception of the tool', async () => {
    const { status, json } = await crew.ask({ topic: 'steam' });
    expect(status).toBe(200);
    expect(json.output).toMatchObject({
      raw: 'about steam',
      tool_failures: [{ tool_name: 'weigh', task_name: 'write', failure: { message: 'steam has no weight' } }],
    });
  });

  test('whose task raises is an agent error with its reason, and answers the next call', async () => {
    const reason = "the agent's code raised LookupError: the kettle is empty";
    const { status, json } = await crew.ask({ topic: 'fail' });
    expect({ status, code: json.code, detail: json.detail }).toEqual({
      status: 500,
      code: 'agent_error',
      detail: reason,
    });
    for (const way of ['', ' --stream']) {
      const { code, stdout, stderr } = await gantry.type(`svc invoke obedient '{"topic": "fail"}'${way}`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(reason);
    }
    const events = await eventsOf('obedient', { topic: 'fail' });
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'agent_error', message: reason });
    expect(events.map(({ type }) => type)).not.toContain('RUN_FINISHED');
    expect((await crew.ask({ topic: 'coffee' })).json.output).toMatchObject({ raw: 'about coffee' });
  });

  test('whose task raises after a 202 has failed too', async () => {
    const { status, json } = await crew.send('/invoke', {
      method: 'POST',
      body: '{"input":{"topic":"fail"}}',
      headers: { prefer: 'respond-async' },
    });
    expect(status).toBe(202);
    expect(await crew.ending(json.run_id)).toMatchObject({
      status: 500,
      json: { code: 'agent_error', run_status: 'failed' },
    });
    const { code, output } = await gantry.type(`svc invoke obedient --run ${json.run_id}`);
    expect(code).toBe(1);
    expect(output).toContain('the kettle is empty');
  });
});

test('a single agent, exported as `agent`, answers messages and plain input', async () => {
  const { stdout } = await gantry.must('svc validate', { in: 'parroting' });
  expect(stdout).toContain('crewai, exported as agent');
  expect((await gantry.must(`svc invoke parroting '{"input": "good morning"}'`)).stdout).toBe(
    'you said good morning\n',
  );
  const { json } = await (await caller('parroting')).ask({ messages: [{ role: 'user', content: 'hello' }] });
  expect(json.output).toMatchObject({ raw: 'you said hello' });
  const events = await eventsOf('parroting', { input: 'hello' });
  expect(events.filter(({ delta }) => delta !== undefined).map(({ delta }) => delta)).toEqual(['you said hello']);
  expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
});

test('each ledger row of a crew has its own run, also from its threads', async () => {
  const model = 'crews-model';
  const admin = await adminOf(gantry);
  const config = { provider: 'test', model, base_url: gantry.model_url };
  await admin.call('registry.create', {
    params: { kind: 'model' },
    body: { name: model, team: gantry.team, config },
  });
  const code = await codeOf('wrapper/tests/agents/calling_crew/agent.py');
  await crewai('calling', code.replaceAll('gpt-4o-mini', model));
  const db = await databaseOf(gantry);
  try {
    const { run, rowsOf, rowOf, checkTrace } = tracedRuns({ db, admin });
    const agent = await caller('calling');
    const names = ['e', 'f'];
    const runs = await Promise.all(
      (['invoke', 'stream'] as const).map(async (way, n) => await run(agent, way, { name: names[n] }, names[n] ?? '')),
    );
    const wanted = runs.toSorted().flatMap((id) => {
      const name = names[runs.indexOf(id)] ?? '';
      return Array.from({ length: 3 }, () => rowOf(model, id, name));
    });
    expect(await rowsOf('calling')).toEqual(wanted);
    for (const name of names) await checkTrace(name, 3);
  } finally {
    await db.close();
  }
});

describe('what a crew or a flow remembers', () => {
  crewMemoryTests({
    gantry: () => gantry,
    requirements: async () => await readFile(join(example, 'requirements.txt'), 'utf8'),
  });
});

describe('a graph and a crew answer together: the strategy', () => {
  const ute = '{ref: agents/ute, output: /answer}';
  const uwe = '{ref: agents/uwe, output: /answer}';
  const crew = '{ref: agents/obedient, output: /raw}';
  beforeAll(async () => {
    const agent = await readFile(join(clone, 'e2e/agents/member.py'), 'utf8');
    for (const name of ['ute', 'uwe']) {
      const more = `deploy:\n  env_vars: {NAME: ${name}}\n`;
      await writeProject(gantry, name, { 'agent.yaml': agentYaml(name, more, gantry.team), 'agent.py': agent });
      await gantry.must('svc deploy', { in: name });
    }
  });

  test.each([
    [
      'sequential',
      `agents: {ute: ${ute}, crew: ${crew}, uwe: ${uwe}}`,
      { text: 'uwe(about ute(tea))' },
      ['ute', 'crew', 'uwe'],
    ],
    [
      'parallel',
      `agents: {ute: ${ute}, crew: ${crew}}`,
      { text: null, members: { ute: { output: 'ute(tea)' }, crew: { output: 'about tea' } } },
      ['ute', 'crew'],
    ],
    [
      'fan_out_fan_in',
      `supervisor_config: {merge_agent: editor}\nagents: {ute: ${ute}, crew: ${crew}, editor: ${crew}}`,
      {
        text: 'about {"task":"tea","answers":{"ute":{"status":"done","output":"ute(tea)"},"crew":{"status":"done","output":"about tea"}}}',
      },
      ['ute', 'crew', 'editor'],
    ],
    [
      'router',
      `supervisor_config: {classifier: crew}\nagents:\n  crew: {ref: agents/obedient, output: /raw, routes: [{condition: about tea, target: uwe}]}\n  uwe: ${uwe}`,
      { text: 'uwe(tea)' },
      ['classify:crew', 'uwe'],
    ],
    [
      'supervisor',
      `supervisor_config: {supervisor_agent: ute}\nagents: {ute: ${ute}, crew: ${crew}, uwe: ${uwe}}`,
      { text: 'ute heard about tea; uwe(tea)' },
      ['1:ute', '1:1:crew', '1:2:uwe', '2:ute'],
    ],
  ])('%s', async (strategy, yaml, output, paths) => {
    const name = `mixed-${strategy.replaceAll('_', '-')}`;
    const flow = orchestrating(gantry);
    await flow.deploy(name, `strategy: ${strategy}\n${yaml}\n`);
    const { state, steps, problem, ...ended } = await flow.ended(name, await flow.call(name, 'tea'));
    expect(problem).toBeNull();
    expect(state).toBe('done');
    expect(ended.output).toMatchObject(output);
    expect(steps.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
  });
});

describe('crews with a model outside', () => {
  const rules = `
version: 1
rules:
  - name: a crew asks
    when: {messages_contain: "what is new about"}
    respond: {content: "Final Answer: Bees dance."}
  - name: a report is written
    when: {messages_contain: "Write a report about"}
    respond: {content: "Bees are insects."}
  - name: anything else
    respond: {content: "They dance."}
`;
  let model: OutsideServer;
  beforeAll(async () => {
    model = await outsideServer(rules);
    await addModel(gantry, model);
  });
  afterAll(async () => await model.stop());

  test('the project of `crewai create` answers as a class and as a function', async () => {
    // crewai takes it for the model of a crew that names none.
    const yaml = 'model: {primary: gpt-4o-mini}\n';
    const { agent } = await deployProject(gantry, { project: 'crew', folder: 'research', yaml });
    const answered = await agent.ask({ topic: 'bees' });
    expect(answered.json.output, answered.text).toMatchObject({ raw: 'Bees dance.' });

    const file = join(gantry.directory, 'research', 'agent.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      text.replace('crew.py:ResearchCrew', 'team.py:make_team').replace(/^version: .*$/m, 'version: 2.0.0'),
    );
    await gantry.must('svc deploy', { in: 'research' });
    expect((await agent.ask({ topic: 'bees' })).json.output).toMatchObject({ raw: 'Bees dance.' });
  });

  test('the project of `crewai create flow` answers with its state, and says where it can write files', async () => {
    const yaml = 'model: {primary: gpt-4o-mini}\n';
    const { agent } = await deployProject(gantry, { project: 'flow', folder: 'verse', yaml });
    const answered = await agent.ask({ topic: 'bees' });
    expect(answered.json.output, answered.text).toMatchObject({ topic: 'bees', verse: 'Bees dance.', is_saved: false });
    const { status, json } = await agent.ask({ topic: 'files' });
    expect({ status, code: json.code }).toEqual({ status: 500, code: 'agent_error' });
    expect(json.detail).toContain('write files to /tmp');
  });

  test('the project of `svc init --template research` calls its primary model through the gateway', async () => {
    await gantry.must('svc init reporters --template research --team crews');
    await gantry.must('svc deploy', { in: 'reporters' });
    const answered = await (await caller('reporters')).ask({ topic: 'bees' });
    expect(answered.json.output, answered.text).toMatchObject({
      raw: 'Bees are insects.',
      tasks: [{ name: 'research', raw: 'They dance.' }, { name: 'report' }],
    });
    const costs = await gantry.must('svc costs --agent reporters --by agent,model --json');
    expect(JSON.parse(costs.stdout)).toMatchObject({
      rows: [{ of: { agent: 'reporters', model: 'gpt-4o-mini' }, calls: 2 }],
    });
  });
});
