import { describe, expect, test } from 'vitest';
import { filesFromMap } from '../agent-project/files.ts';
import { declaredGraphs } from './declared-graphs.ts';
import { findAgents } from './find-agents.ts';

const found = (files: Record<string, string>) =>
  findAgents(filesFromMap(new Map(Object.entries(files)))).map(
    ({ framework, entrypoint }) => `${framework} ${entrypoint ?? 'agent.py'}`,
  );
const graph = 'from langgraph.graph import StateGraph\nbuilder = StateGraph(dict)\n';
const crew = 'from crewai import Crew\nfrom crewai.project import CrewBase\n';

test('agent.py with the export of its framework needs no entrypoint', () => {
  expect(
    found({ 'agent.py': `${graph}app = builder.compile()\n`, 'other.py': `${graph}x = builder.compile()\n` }),
  ).toEqual(['langgraph agent.py']);
});

test('the graphs of langgraph.json come first, as the author declares them', () => {
  const langgraphJson = JSON.stringify({
    dependencies: ['.'],
    graphs: { agent: './src/flow/graph.py:flow', index: { path: './src/flow/index.py:make' }, dotted: 'flow.third:x' },
  });
  const files = {
    'src/flow/graph.py': graph,
    'src/flow/third.py': '',
    'src/flow/index.py': graph,
    'other.py': `${graph}x = builder.compile()\n`,
  };
  expect(found({ ...files, 'langgraph.json': langgraphJson })).toEqual([
    'langgraph src/flow/graph.py:flow',
    'langgraph src/flow/index.py:make',
    'langgraph src/flow/third.py:x',
  ]);
});

test('a graph of langgraph.json is found as a package, and left out when its file is not below a source root', () => {
  const langgraphJson = JSON.stringify({
    dependencies: ['./backend'],
    graphs: { a: 'team.agents:make', b: 'far.agents:make' },
  });
  const files = filesFromMap(
    new Map(
      Object.entries({
        'langgraph.json': langgraphJson,
        'backend/team/agents/__init__.py': '',
        'packages/far/agents.py': '',
      }),
    ),
  );
  expect(findAgents(files).map(({ entrypoint }) => entrypoint)).toEqual(['backend/team/agents/__init__.py:make']);
  expect(declaredGraphs(files).missing.map(({ why }) => why)).toEqual([
    'The graph "b" of langgraph.json names far/agents.py, which is in no folder that modules are imported from (searched: the project folder, backend/). It is in packages/: add "./packages" to `dependencies` of langgraph.json.',
  ]);
});

test.each([
  [
    'a compiled graph',
    { 'src/flow/graph.py': `${graph}flow = builder.compile(name="x")\n` },
    ['langgraph src/flow/graph.py:flow'],
  ],
  [
    'a prebuilt agent',
    { 'main.py': 'from langchain.agents import create_agent\nbot = create_agent(m, [])\n' },
    ['langgraph main.py:bot'],
  ],
  [
    'a workflow',
    { 'main.py': 'from langgraph.func import entrypoint\n@entrypoint()\ndef work(x): ...\n' },
    ['langgraph main.py:work'],
  ],
  ['a crew', { 'main.py': `${crew}team = Crew(agents=[])\n` }, ['crewai main.py:team']],
  [
    'what `crewai create` makes',
    { 'src/team/crew.py': `${crew}@CrewBase\nclass Team: ...\n` },
    ['crewai src/team/crew.py:Team'],
  ],
  [
    'a flow of crews',
    {
      'src/poem/main.py':
        'from crewai.flow.flow import Flow, listen\nclass State: ...\nclass Poem(Flow[State]):\n  pass\n',
      'src/poem/other.py': 'from crewai import flow\nclass Two(State, flow.Flow): ...\nclass Three(Overflow): ...\n',
    },
    ['crewai src/poem/main.py:Poem', 'crewai src/poem/other.py:Two'],
  ],
  [
    'nothing',
    { 'main.py': 'import re\nx = re.compile("a")\n', 'tests/test_x.py': `${graph}x = builder.compile()\n` },
    [],
  ],
])('%s is found in the code', (_, files, expected) => {
  expect(found(files as Record<string, string>)).toEqual(expected);
});

test('a dotted module of a uv workspace is found in its member', () => {
  const files = {
    'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { lead: 'herd.agents:make_lead' } }),
    'pyproject.toml': '[tool.uv.workspace]\nmembers = ["packages/*"]\n',
    'packages/core/pyproject.toml': '[project]\nname = "core"\n',
    'packages/core/herd/agents/__init__.py': 'from .lead import make_lead\n',
    'packages/web/pyproject.toml': '[project]\nname = "web"\n',
    'packages/web/src/web/agents.py': `${graph}app = builder.compile()\n`,
  };
  expect(found(files)).toEqual(['langgraph packages/core/herd/agents/__init__.py:make_lead']);
});

test.each([
  ['returns a call', 'def build():\n  return builder.compile()\n', 'build'],
  ['returns a name', 'async def build(config):\n  if config:\n    made = builder.compile()\n  return made\n', 'build'],
  ['returns a graph that is not compiled', 'def build(config, size=3):\n  return StateGraph(dict)\n', 'build'],
  ['takes more than the config', 'def build(config, size):\n  return builder.compile()\n', undefined],
  ['has a function that returns one', 'def build():\n  def inner():\n    return builder.compile()\n', undefined],
])('a function that %s is the agent, or not, where nothing else is', (_, source, name) => {
  const files = { 'bot.py': `from langgraph.graph import StateGraph\n${source}` };
  expect(found(files)).toEqual(name === undefined ? [] : [`langgraph bot.py:${name}`]);
  const compiled = { 'other.py': `${graph}bot = builder.compile()\n` };
  expect(found({ ...files, ...compiled })).toEqual(['langgraph other.py:bot']);
});

test('a graph that is never compiled at module level is found', () => {
  expect(found({ 'bot.py': graph })).toEqual(['langgraph bot.py:builder']);
});

describe('a project of `crewai create`', () => {
  const crewOf = (name: string) => `${crew}@CrewBase\nclass ${name}: ...\n`;
  const main = (files: Record<string, string>) =>
    findAgents(filesFromMap(new Map(Object.entries(files)))).map(
      ({ entrypoint = '', is_main }) => `${entrypoint}${is_main === true ? ' is the agent' : ''}`,
    );

  test('with a flow has the flow as its agent, and its crews as parts', () => {
    const files = {
      'pyproject.toml': '[project.scripts]\nkickoff = "poem.main:kickoff"\n[tool.crewai]\ntype = "flow"\n',
      'src/poem/main.py':
        'from crewai.flow import Flow\nfrom poem.crews.a.a import A\nclass Poem(Flow[dict]): ...\ndef kickoff(): ...\n',
      'src/poem/crews/a/a.py': crewOf('A'),
    };
    expect(main(files)).toEqual(['src/poem/main.py:Poem is the agent', 'src/poem/crews/a/a.py:A']);
    expect(main({ ...files, 'pyproject.toml': '' })[0]).toBe('src/poem/main.py:Poem');
  });

  test('with several crews has the one that `crewai run` starts', () => {
    const files = {
      'pyproject.toml': '[project.scripts]\nrun_crew = "news.main:run"\n[tool.crewai]\ntype = "crew"\n',
      'src/news/main.py': 'from news.crew import News\ndef run(): ...\n',
      'src/news/crew.py': crewOf('News'),
      'src/news/a.py': crewOf('A'),
    };
    expect(main(files)).toEqual(['src/news/crew.py:News is the agent', 'src/news/a.py:A']);
  });
});

test('a name from the spec comes before others, and the root before deeper folders', () => {
  expect(
    found({
      'src/deep/flow.py': `${graph}first = builder.compile()\n`,
      'flow.py': `${graph}second = builder.compile()\n`,
      'src/deep/app.py': `${graph}app = builder.compile()\n`,
    }),
  ).toEqual(['langgraph src/deep/app.py:app', 'langgraph flow.py:second', 'langgraph src/deep/flow.py:first']);
});

test('a file that is not text is skipped', () => {
  expect(findAgents(filesFromMap(new Map([['main.py', new Uint8Array([0xff])]])))).toEqual([]);
});

test('a langgraph.json of many graphs and folders costs little', () => {
  const all = Array.from({ length: 1000 }, (_, at) => at);
  const graphs = Object.fromEntries(all.map((at) => [`g${at}`, `m${at}.x:g`]));
  const langgraphJson = JSON.stringify({ graphs, dependencies: all.map((at) => `./d${at}`) });
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`data/${at}.txt`, '']));
  const start = performance.now();
  const files = filesFromMap(new Map(Object.entries({ ...many, 'langgraph.json': langgraphJson })));
  expect(findAgents(files)).toEqual([]);
  expect(declaredGraphs(files).missing).toHaveLength(1000);
  expect(performance.now() - start).toBeLessThan(5_000);
});
