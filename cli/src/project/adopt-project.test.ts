import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';

const graph = 'from langgraph.graph import StateGraph\nflow = StateGraph(dict).compile()\n';
const langgraphJson = (graphs: Record<string, string>, more: object = {}) =>
  JSON.stringify({ dependencies: ['.'], graphs, ...more });

/** A folder with these files, and `svc init` in it. */
function project(files: Record<string, string>) {
  const home = freshHome();
  const cwd = path.join(home, 'My_Agent');
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
    writeFileSync(path.join(cwd, file), content);
  }
  return {
    init: async (...more: string[]) => await runSvc(['init', '--team', 'ml', ...more], { home, cwd }),
    validate: async () => await runSvc(['validate'], { home, cwd }),
    yaml: () => readFileSync(path.join(cwd, 'agent.yaml'), 'utf8'),
    files: () => readdirSync(cwd, { recursive: true, encoding: 'utf8' }).toSorted(),
  };
}

test('a project of langgraph.json gets an agent.yaml that validates, and no other file changes', async () => {
  const made = project({
    'langgraph.json': langgraphJson({ chat: './src/flow/graph.py:flow' }, { env: { GREETING: 'Hello' } }),
    'src/flow/graph.py': graph,
    'pyproject.toml': '[project]\nname = "Flow_App"\nversion = "0.1.0"\n',
    '.env.example': 'GREETING=\nOPENAI_API_KEY=\n',
    '.env': 'export TAVILY_API_KEY=secret-value\n',
  });
  const before = made.files();
  const { exit, stdout } = await made.init();
  expect(exit).toBe(0);
  expect(stdout).toContain('graph "chat" of langgraph.json');
  expect(made.files()).toEqual([...before, 'agent.yaml'].toSorted());
  const yaml = made.yaml();
  expect(yaml).toContain('name: flow-app\nversion: 0.1.0\nteam: ml\nframework: langgraph\n');
  expect(yaml).toContain('entrypoint: src/flow/graph.py:flow\ndeploy:\n  env_vars:\n    GREETING: Hello\n');
  expect(yaml).not.toContain('OPENAI_API_KEY');
  expect(yaml).toContain('#     TAVILY_API_KEY: ""');
  expect(yaml + stdout).not.toContain('secret-value');
  expect((await made.validate()).exit).toBe(0);
});

test('several graphs need a choice, and the named one is used', async () => {
  const made = project({
    'langgraph.json': langgraphJson({ chat: './chat.py:flow', index: './index.py:flow' }),
    'chat.py': graph,
    'index.py': graph,
  });
  const refused = await made.init();
  expect(refused.exit).toBe(2);
  expect(refused.stderr).toContain('This project has 2 agents: chat.py:flow, index.py:flow');
  expect(refused.stderr).toContain('svc init --entrypoint chat.py:flow');
  expect((await made.init('--entrypoint', './index.py:flow')).exit).toBe(0);
  expect(made.yaml()).toContain('entrypoint: index.py:flow\n');
});

test('an agent.yaml without an agent gets its entrypoint, and the rest is unchanged', async () => {
  const yaml = '# mine\nname: flow\nversion: 2.0.0\nteam: ml\nframework: langgraph\n';
  const made = project({ 'agent.yaml': yaml, 'src/flow/graph.py': graph });
  expect((await made.init()).exit).toBe(0);
  expect(made.yaml()).toBe(`${yaml}entrypoint: src/flow/graph.py:flow\n`);
  const again = await made.init();
  expect(again.exit).toBe(1);
  expect(again.stderr).toContain('agent.yaml already exists');
});

test('the crew of `crewai create` is found', async () => {
  const crew = 'from crewai.project import CrewBase\n\n@CrewBase\nclass Research:\n    ...\n';
  const made = project({ 'src/research/crew.py': crew, 'src/research/main.py': 'def run(): ...\n' });
  expect((await made.init()).exit).toBe(0);
  expect(made.yaml()).toContain('framework: crewai\nentrypoint: src/research/crew.py:Research\n');
});

test('a flow of `crewai create` is the agent, its crews are parts of it, and the file is valid without an edit', async () => {
  const made = project({
    'pyproject.toml':
      '[project]\nname = "poem"\nversion = "0.1.0"\ndependencies = ["crewai"]\n[project.scripts]\nkickoff = "poem.main:kickoff"\n[tool.crewai]\ntype = "flow"\n',
    'src/poem/main.py': 'from crewai.flow import Flow\n\nclass Poem(Flow[dict]):\n    ...\n\ndef kickoff(): ...\n',
    'src/poem/crews/poem_crew/poem_crew.py':
      'from crewai.project import CrewBase\n\n@CrewBase\nclass PoemCrew:\n    ...\n',
  });
  const { exit, stdout } = await made.init();
  expect(exit).toBe(0);
  expect(stdout).toContain('also: src/poem/crews/poem_crew/poem_crew.py binds PoemCrew');
  expect(made.yaml()).toContain('framework: crewai\nentrypoint: src/poem/main.py:Poem\n');
  expect((await made.validate()).stdout).toContain('poem 0.1.0 can be deployed: crewai, exported as Poem');
});

test('beside agent.py, langgraph.json is named when it disagrees, and its graph can be chosen afterwards', async () => {
  const made = project({
    'agent.py': graph.replace('flow =', 'graph ='),
    'langgraph.json': langgraphJson({ chat: './src/chat.py:flow', far: 'far.chat:flow' }),
    'src/chat.py': graph,
    'packages/far/chat.py': graph,
  });
  const { exit, stderr } = await made.init();
  expect([exit, stderr]).toEqual([
    0,
    expect.stringContaining('agent.py:graph counts, and not src/chat.py:flow of langgraph.json'),
  ]);
  expect(stderr).toContain('It is in packages/: add "./packages" to `dependencies`');
  const step = /svc (init --entrypoint \S+)/.exec(stderr)?.[1] ?? '';
  expect((await made.init(...step.split(' ').slice(1))).exit).toBe(0);
  expect(made.yaml()).toContain('entrypoint: src/chat.py:flow\n');
});

test('--entrypoint takes an agent that no rule finds, and replaces the one in agent.yaml', async () => {
  const made = project({
    'bot.py': 'from langgraph.graph import StateGraph\n\ndef talk(): return other()\n',
    'team.py': 'from elsewhere import *\nhands = make()\n',
  });
  expect((await made.init('--entrypoint', 'bot.py:talk')).exit).toBe(0);
  expect(made.yaml()).toContain('framework: langgraph\nentrypoint: bot.py:talk\n');
  const refused = await made.init();
  expect([refused.exit, refused.stderr]).toEqual([
    1,
    expect.stringContaining('It names bot.py:talk. For another agent: svc init --entrypoint'),
  ]);
  expect((await made.init('--entrypoint', 'team.py:hands', '--framework', 'langgraph')).exit).toBe(0);
  expect(made.yaml()).toContain('entrypoint: team.py:hands\n');
});

test.each([
  ['gone.py:flow', 'gone.py is not in the project', 'Found: svc init --entrypoint bot.py:flow'],
  ['bot.py:gone', "bot.py binds no 'gone'", 'Bind a graph, or a function that returns one at module level'],
  ['../bot.py:flow', '../bot.py:flow must be <path>.py:<name> inside the project', 'Found: svc init'],
  ['words.py:flow', 'Nothing says whether words.py is of langgraph or of crewai', 'Add --framework langgraph'],
])('--entrypoint %s is refused with the reason, and nothing is written', async (entrypoint, why, hint) => {
  const made = project({ 'bot.py': graph, 'words.py': 'flow = 1\n' });
  const { exit, stderr } = await made.init('--entrypoint', entrypoint);
  expect(exit).toBe(2);
  expect(stderr).toContain(why);
  expect(stderr).toContain(hint);
  expect(made.files()).not.toContain('agent.yaml');
});

test('a graph of langgraph.json without its file is refused with the searched folders, and no other graph is taken', async () => {
  const made = project({ 'langgraph.json': langgraphJson({ chat: 'flow.gone:flow' }), 'src/flow/graph.py': graph });
  const { exit, stderr } = await made.init();
  expect(exit).toBe(1);
  expect(stderr).toContain('names flow/gone.py, which is in no folder that modules are imported from');
  expect(stderr).toContain('searched: the project folder, src/');
  expect(stderr).toContain('svc init --entrypoint src/flow/graph.py:flow');
  expect(made.files()).not.toContain('agent.yaml');
});

test('a graph of langgraph.json that its file does not bind is refused with both names', async () => {
  const made = project({ 'langgraph.json': langgraphJson({ chat: './bot.py:chat' }), 'bot.py': graph });
  const { exit, stderr } = await made.init();
  expect(exit).toBe(1);
  expect(stderr).toContain('The graph "chat" of langgraph.json is no agent: bot.py binds no \'chat\'');
  expect(made.files()).not.toContain('agent.yaml');
});

test('a folder above the project is refused with the step into it', async () => {
  const { stderr } = await project({ 'backend/langgraph.json': langgraphJson({ chat: './chat.py:flow' }) }).init();
  expect(stderr).toContain('There is backend/langgraph.json: cd backend && svc init');
});

test('a flow in YAML is refused with the file that makes it an agent', async () => {
  const pyproject = '[tool.crewai]\ntype = "flow"\ndefinition = "src/poem/flow.yaml"\n';
  const { stderr } = await project({
    'pyproject.toml': pyproject,
    'src/poem/flow.yaml': 'schema: crewai.flow/v1\n',
  }).init();
  expect(stderr).toContain('crew = Flow.from_declaration(path="src/poem/flow.yaml")');
});

test('a folder without an agent is refused with the list of searched forms', async () => {
  const { exit, stderr } = await project({ 'notes.md': 'hello' }).init();
  expect(exit).toBe(1);
  expect(stderr).toContain('No agent was found in this folder');
  expect(stderr).toContain('svc init greeter');
});

test('a crew in JSON is refused with the file that makes it an agent', async () => {
  const { exit, stderr } = await project({ 'crew.jsonc': '{}' }).init();
  expect(exit).toBe(1);
  expect(stderr).toContain('crew, _ = load_crew("crew.jsonc")');
});
