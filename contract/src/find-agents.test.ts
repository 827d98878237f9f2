import { expect, test } from 'vitest';
import { filesFromMap } from './agent-project/files.ts';
import { findAgents, missingGraphs } from './find-agents.ts';

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
  expect(missingGraphs(files).map(({ entrypoint }) => entrypoint)).toEqual(['far/agents.py:make']);
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
  expect(missingGraphs(files)).toHaveLength(1000);
  expect(performance.now() - start).toBeLessThan(5_000);
});
