import { describe, expect, test } from 'vitest';
import { checkProject, type ProjectFile, type ProjectFiles } from './agent-project.ts';
import { leftOut } from './agent-project/left-out.ts';

const agentYaml = 'name: greeter\nversion: 1.0.0\nteam: ml\nframework: langgraph\n';
const crewYaml = agentYaml.replace('langgraph', 'crewai');
const agentPy = 'from langgraph.graph import StateGraph\n\nbuilder = StateGraph(dict)\ngraph = builder.compile()\n';
const base = { 'agent.yaml': agentYaml, 'agent.py': agentPy, 'requirements.txt': 'langgraph\n' };

type Files = Record<string, string | Uint8Array | undefined>;
const check = (files: Files) =>
  checkProject(
    new Map(
      Object.entries({ ...base, ...files }).flatMap(([path, content]) =>
        content === undefined ? [] : [[path, content] as const],
      ),
    ),
  );
const onlyFinding = (files: Files) => {
  const { findings, deployable } = check(files);
  expect(findings).toHaveLength(1);
  return { deployable, ...findings[0] };
};
const listing = (...extra: ProjectFile[]): ProjectFiles => ({
  list: () => [
    ...Object.entries(base)
      .map(([path, content]) => ({ path, size: content.length, type: 'file' as const }))
      .filter(({ path }) => !extra.some((file) => file.path === path)),
    ...extra,
  ],
  read: (path) => new TextEncoder().encode(base[path as keyof typeof base]), // only files of `base` are read here
});

test('a fault in agent.yaml brings no second one about its entrypoint', () => {
  const yaml = `${agentYaml}entrypoint: src/flow.py:graph\ndeploy: {secrets: [OPENAI_API_KEY]}\n`;
  const { findings } = check({ 'agent.yaml': yaml, 'agent.py': undefined, 'src/flow.py': agentPy });
  expect(findings.map(({ file }) => file)).toEqual(['agent.yaml']);
});

test('a project of agent.yaml, agent.py and requirements.txt is deployable', () => {
  expect(check({})).toMatchObject({
    deployable: true,
    findings: [],
    export_name: 'graph',
    dependencies: { sources: ['requirements.txt'], requirements: [{ name: 'langgraph' }] },
    config: { name: 'greeter' },
  });
});

describe('entrypoint', () => {
  const named = (entrypoint: string, framework = 'langgraph'): Files => ({
    'agent.yaml': `${agentYaml.replace('langgraph', framework)}entrypoint: ${entrypoint}\n`,
    'agent.py': undefined,
  });

  test('takes the place of agent.py', () => {
    expect(check({ ...named('src/flow/graph.py:flow'), 'src/flow/graph.py': 'flow = build()\n' })).toMatchObject({
      deployable: true,
      findings: [],
      export_name: 'flow',
      entry: { file: 'src/flow/graph.py', name: 'flow' },
    });
  });

  test('that names a missing file is an error that names the file', () => {
    const files = { ...named('graph.py:flow'), 'src/flow/graph.py': 'flow = 1\n' };
    expect(onlyFinding(files)).toMatchObject({
      deployable: false,
      code: 'missing_file',
      message: 'graph.py, which `entrypoint` names, is missing',
      line: agentYaml.split('\n').length,
      suggestion: 'There is src/flow/graph.py, which binds flow: svc init --entrypoint src/flow/graph.py:flow',
    });
  });

  test.each([
    ['binds another name', { 'src/flow/graph.py': 'other = 1\n' }],
    ['is one of several', { 'a/graph.py': 'flow = 1\n', 'b/graph.py': 'flow = 1\n' }],
  ])('that names a missing file proposes no file that %s', (_, others) => {
    expect(onlyFinding({ ...named('graph.py:flow'), ...others }).suggestion).toBe(
      'Correct `entrypoint`: its path starts at the folder of agent.yaml. `svc init --entrypoint <path>.py:<name>` checks and writes it.',
    );
  });

  test.each([
    ['langgraph', 'def flow(): ...\n'],
    ['langgraph', 'async def flow(config): ...\n'],
    ['langgraph', 'flow = StateGraph(dict)\n'],
    ['crewai', 'def flow(): ...\n'],
    ['crewai', '@CrewBase\nclass flow: ...\n'],
    ['crewai', 'class flow: ...\n'],
  ])('for %s may name a factory of the agent: %j', (framework, source) => {
    expect(check({ ...named('flow.py:flow', framework), 'flow.py': source })).toMatchObject({
      deployable: true,
      findings: [],
    });
  });

  test('that names a class is refused for a graph', () => {
    expect(onlyFinding({ ...named('flow.py:flow'), 'flow.py': 'class flow: ...\n' })).toMatchObject({
      code: 'export_not_a_value',
      file: 'flow.py',
    });
  });

  test('that names a missing export is refused', () => {
    expect(onlyFinding({ ...named('flow.py:flow'), 'flow.py': 'graph = 1\n' })).toMatchObject({
      code: 'export_missing',
      message: "flow.py binds no 'flow', the name of the agent",
    });
  });

  test('that names a link is refused', () => {
    const text = `${agentYaml}entrypoint: flow.py:flow\n`;
    const { findings } = checkProject({
      list: () => [
        { path: 'agent.yaml', size: text.length, type: 'file' },
        { path: 'flow.py', size: 1, type: 'other' },
        { path: 'requirements.txt', size: 0, type: 'file' },
      ],
      read: (path) => new TextEncoder().encode(path === 'agent.yaml' ? text : ''),
    });
    expect(findings.map(({ code, file }) => `${code} ${file}`)).toEqual(['not_a_file flow.py', 'not_a_file flow.py']);
  });
});

describe('agent.yaml', () => {
  test('is needed', () => {
    expect(onlyFinding({ 'agent.yaml': undefined })).toMatchObject({
      deployable: false,
      code: 'missing_file',
      file: 'agent.yaml',
      suggestion: 'Run `svc init`, or run this in the folder of the agent.',
    });
  });

  test('that is missing is the only fault of a project without agent.py, and one in a folder below is named', () => {
    const files = { 'agent.yaml': undefined, 'agent.py': undefined, 'bot/agent.yaml': agentYaml };
    expect(onlyFinding(files).suggestion).toBe('Run `svc init`, or check bot/agent.yaml: svc validate bot/agent.yaml');
  });

  test.each([
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x6e, 0x00])],
    ['not valid UTF-8', new Uint8Array([0x6e, 0xff])],
  ])('that is %s is refused', (what, bytes) => {
    expect(onlyFinding({ 'agent.yaml': bytes })).toMatchObject({ code: 'not_utf8', message: `agent.yaml is ${what}` });
  });

  test('with a fault does not hide the faults of other files', () => {
    const { findings } = check({
      'agent.yaml': `${agentYaml}tag: x\n`,
      'agent.py': undefined,
      'requirements.txt': '-e .\n',
      '.env': 'A=b',
    });
    expect(findings.map(({ code }) => code)).toEqual([
      'unknown_field',
      'missing_file',
      'requirement_refused',
      'file_refused',
    ]);
  });
});

describe('agent.py', () => {
  test('that is missing beside agent.yaml is a finding with the fix', () => {
    expect(onlyFinding({ 'agent.py': undefined })).toMatchObject({
      deployable: false,
      code: 'missing_file',
      suggestion:
        'Rename the file of the agent to agent.py, or add an agent.py that re-exports it. Or run `svc init`: it finds the agent and writes `entrypoint`.',
    });
  });

  test('that is missing while another file exports the agent: that file is named', () => {
    expect(onlyFinding({ 'agent.py': undefined, 'main.py': agentPy })).toMatchObject({
      code: 'missing_file',
      suggestion:
        'Rename main.py to agent.py, or add an agent.py with: from main import graph. Or add `entrypoint: main.py:graph` to agent.yaml.',
    });
  });

  test('that is missing while langgraph.json names a graph: the entrypoint is named', () => {
    const langgraphJson = JSON.stringify({ dependencies: ['.'], graphs: { chat: './src/flow/graph.py:flow' } });
    const files = { 'agent.py': undefined, 'langgraph.json': langgraphJson, 'src/flow/graph.py': 'flow = 1\n' };
    expect(onlyFinding(files)).toMatchObject({
      code: 'missing_file',
      message: 'agent.py is missing beside agent.yaml',
      suggestion:
        'Add `entrypoint: src/flow/graph.py:flow` to agent.yaml, the graph "chat" of langgraph.json; `svc init` does it.',
    });
  });

  test('that is missing while a graph of langgraph.json is missing too: the searched folders are named', () => {
    const langgraphJson = JSON.stringify({ dependencies: ['.'], graphs: { chat: 'flow.gone:flow' } });
    const files = { 'agent.py': undefined, 'langgraph.json': langgraphJson, 'src/flow/graph.py': 'flow = 1\n' };
    expect(onlyFinding(files)).toMatchObject({
      code: 'missing_file',
      message:
        'agent.py is missing beside agent.yaml. The graph "chat" of langgraph.json names flow/gone.py, which is in no folder that modules are imported from (searched: the project folder, src/).',
    });
  });

  test('that is missing is not sought in a web server', () => {
    const files = { 'agent.py': undefined, 'main.py': 'from fastapi import FastAPI\napp = FastAPI()\n' };
    expect(onlyFinding(files).suggestion).not.toContain('main.py');
  });

  test('that makes another graph than langgraph.json names is taken, and a notice says how to choose', () => {
    const langgraphJson = (graph: string) => JSON.stringify({ dependencies: ['.'], graphs: { chat: graph } });
    const files = { 'chat.py': 'flow = 1\n', 'agent.py': `${agentPy}flow = graph\n` };
    expect(onlyFinding({ ...files, 'langgraph.json': langgraphJson('./chat.py:flow') })).toMatchObject({
      deployable: true,
      code: 'two_agents',
      severity: 'notice',
      message: 'agent.py and langgraph.json disagree: agent.py:graph counts, and not chat.py:flow of langgraph.json',
      suggestion: 'To take a graph of langgraph.json: svc init --entrypoint chat.py:flow',
    });
    expect(onlyFinding({ ...files, 'langgraph.json': langgraphJson('./agent.py:flow') }).code).toBe('two_agents');
    const agrees = { ...files, 'langgraph.json': langgraphJson('./agent.py:graph') };
    const reExported = {
      'agent.py': 'from chat import flow as graph\n',
      'langgraph.json': langgraphJson('./chat.py:flow'),
    };
    const chosen = {
      'agent.yaml': `${agentYaml}entrypoint: agent.py:graph\n`,
      'langgraph.json': langgraphJson('./chat.py:flow'),
    };
    for (const silent of [agrees, { ...files, ...reExported }, { ...files, ...chosen }])
      expect(check(silent).findings).toEqual([]);
  });

  test.each([
    ['langgraph', agentYaml, "No 'graph' or 'app' variable found"],
    ['crewai', crewYaml, "No 'crew' or 'agent' variable found"],
  ])("without the export of %s fails with the spec's sentence", (_, yaml, sentence) => {
    expect(onlyFinding({ 'agent.yaml': yaml, 'agent.py': 'x = 1\n' })).toMatchObject({
      deployable: false,
      code: 'export_missing',
      severity: 'error',
      message: sentence,
    });
  });

  test.each([
    ['def build():\n  graph = 1\n', "No 'graph' or 'app' variable found: `graph` is inside the function build", 2, 3],
    [
      'if __name__ == "__main__":\n  app = 1\n',
      "No 'graph' or 'app' variable found: `app` is inside if __name__ == '__main__'",
      2,
      3,
    ],
  ])('%j gets a finding with the place of the hidden export', (source, message, line, column) => {
    expect(onlyFinding({ 'agent.py': source })).toMatchObject({ code: 'export_missing', message, line, column });
  });

  test.each(['from x import *\n', 'def __getattr__(name): ...\n', 'def f():\n  global app\n  app = 1\n'])(
    '%j may still export it: a warning',
    (source) => {
      const { deployable, code, severity, message } = onlyFinding({ 'agent.py': source });
      expect({ deployable, code, severity }).toEqual({
        deployable: true,
        code: 'export_not_certain',
        severity: 'warning',
      });
      expect(message).toMatch(/^No 'graph' or 'app' variable found/);
    },
  );

  test.each(['def graph(): ...\n', 'class app: ...\n'])('%j exports no value', (source) => {
    const { code, message } = onlyFinding({ 'agent.py': source });
    expect(code).toBe('export_not_a_value');
    expect(message).toMatch(/^No 'graph' or 'app' variable found/);
  });

  test('whose graph is a function and whose app is a value exports app', () => {
    expect(check({ 'agent.py': 'def graph(): ...\napp = graph()\n' })).toMatchObject({
      deployable: true,
      export_name: 'app',
    });
  });

  test('with a graph that is not compiled gets a warning', () => {
    expect(onlyFinding({ 'agent.py': 'graph = StateGraph(dict)\n' })).toMatchObject({
      code: 'graph_not_compiled',
      severity: 'warning',
      deployable: true,
    });
  });

  test('with a syntax error gets a warning, and Python decides', () => {
    expect(onlyFinding({ 'agent.py': 'graph = 1\ndef f(:\n  pass\n' })).toMatchObject({
      code: 'python_syntax',
      severity: 'warning',
      line: 2,
      deployable: true,
    });
  });

  test('as a directory, a link or a pipe is refused', () => {
    expect(checkProject(listing({ path: 'agent.py', size: 0, type: 'directory' })).findings).toMatchObject([
      { code: 'not_a_file', message: 'agent.py is a directory' },
    ]);
    expect(checkProject(listing({ path: 'agent.py', size: 0, type: 'other' })).deployable).toBe(false);
    expect(onlyFinding({ 'agent.py': undefined, 'agent.py/x': '' })).toMatchObject({ code: 'not_a_file' });
  });

  test('of 50 MB is refused unread', () => {
    const files = listing({ path: 'agent.py', size: 50_000_000, type: 'file' });
    const read = (path: string): Uint8Array => {
      if (path === 'agent.py') throw new Error('read');
      return files.read(path);
    };
    expect(checkProject({ ...files, read }).findings).toMatchObject([{ code: 'file_too_large' }]);
  });

  test('too long to check is left to the start', () => {
    expect(onlyFinding({ 'agent.py': `#${'x'.repeat(200_000)}\n` })).toMatchObject({
      code: 'export_not_certain',
      severity: 'warning',
    });
  });

  test('that is not UTF-8 is refused', () => {
    expect(onlyFinding({ 'agent.py': new Uint8Array([0xc3, 0x28]) })).toMatchObject({ code: 'not_utf8' });
  });
});

describe('dependencies', () => {
  test('without a file are a notice', () => {
    expect(onlyFinding({ 'requirements.txt': undefined })).toMatchObject({
      code: 'no_dependency_file',
      severity: 'notice',
      deployable: true,
    });
  });

  test('in a pyproject.toml are read', () => {
    const text = '[project]\ndependencies = ["httpx"]\n';
    expect(check({ 'requirements.txt': undefined, 'pyproject.toml': text })).toMatchObject({
      deployable: true,
      findings: [],
      dependencies: { sources: ['pyproject.toml'], requirements: [{ name: 'httpx' }] },
    });
  });

  test('in both files come from requirements.txt, with a notice', () => {
    expect(onlyFinding({ 'pyproject.toml': '[project]\ndependencies = ["x"]' })).toMatchObject({
      code: 'two_dependency_files',
      severity: 'notice',
    });
  });

  test('that call a model in a format of its vendor alone get a warning at their line', () => {
    expect(onlyFinding({ 'requirements.txt': 'langgraph\nlangchain-google-genai\nlangchain-aws\n' })).toMatchObject({
      deployable: true,
      code: 'model_format',
      severity: 'warning',
      line: 3,
      message: expect.stringContaining('`langchain-aws` calls Amazon Bedrock in its own format') as string,
    });
  });

  test('in conflict with the service are refused before any build, at their line', () => {
    expect(onlyFinding({ 'requirements.txt': 'langgraph\npydantic<2\n' })).toMatchObject({
      deployable: false,
      code: 'dependency_conflict',
      line: 2,
      message: '`pydantic<2` conflicts with `pydantic>=2.0.0`, which the service needs',
    });
  });

  test('locked below a floor of the service are refused, with the command to lock them again', () => {
    const files = {
      'requirements.txt': undefined,
      'pyproject.toml': '[project]\ndependencies = ["langgraph"]\n',
      'poetry.lock': '[[package]]\nname = "langchain-core"\nversion = "0.2.0"\n',
    };
    expect(onlyFinding(files)).toMatchObject({
      deployable: false,
      code: 'dependency_conflict',
      file: 'poetry.lock',
      line: 1,
      message: '`langchain-core==0.2.0` conflicts with `langchain-core>=0.3.0`, which the service needs',
      suggestion: 'run `poetry update langchain-core`, so that poetry.lock holds langchain-core 0.3.0 or later',
    });
  });

  test('in a uv.lock keep its versions, also below a floor of the service', () => {
    const files = {
      'requirements.txt': undefined,
      'pyproject.toml': '[project]\ndependencies = ["langgraph"]\n',
      'uv.lock': 'version = 1\n\n[[package]]\nname = "langgraph"\nversion = "0.1.0"\n',
    };
    expect(check(files)).toMatchObject({ deployable: true, findings: [] });
  });
});

describe('a project', () => {
  test.each(['.env', '.env.production', 'sub/.env', '.git/config', 'a/b/.git/HEAD'])(
    'with %s in it is refused',
    (path) => {
      expect(onlyFinding({ [path]: 'x' })).toMatchObject({
        code: 'file_refused',
        severity: 'error',
        file: path,
        deployable: false,
      });
    },
  );

  test.each(['_svc_wrapper/__main__.py', '_svc_wrapper.py'])(
    "with %s in it is refused, because the agent's server has that name",
    (path) => {
      expect(onlyFinding({ [path]: 'x' })).toMatchObject({ code: 'reserved_name', file: path, deployable: false });
      expect(check({ [`lib/${path}`]: 'x' }).deployable).toBe(true);
    },
  );

  test.each(['../x', '/etc/x', 'a//b', 'a/./b', 'C:x', 'a\\b', 'a\nb', ''])('with the path %j is refused', (path) => {
    expect(check({ [path]: 'x' }).findings).toMatchObject([{ code: 'unsafe_path' }]);
  });

  test('over a limit is refused', () => {
    const codes = (...files: ProjectFile[]): string[] =>
      checkProject(listing(...files)).findings.map(({ code }) => code);
    const file = (path: string, size: number): ProjectFile => ({ path, size, type: 'file' });
    expect(codes(file('a', 50_000_000))).toEqual([]);
    expect(codes(file('a', 50_000_001))).toEqual(['project_too_large']);
    expect(codes(...['a', 'b', 'c', 'd', 'e'].map((name) => file(name, 45_000_000)))).toEqual(['project_too_large']);
    expect(codes(...Array.from({ length: 10_000 }, (_, index) => file(`f${index}`, 1)))).toEqual(['project_too_large']);
    expect(codes(file(`${'d/'.repeat(32)}x`, 1))).toEqual(['project_too_large']);
    expect(codes(file('é'.repeat(128), 1))).toEqual(['project_too_large']);
    expect(codes({ path: 'link', size: 0, type: 'other' })).toEqual(['not_a_file']);
  });

  test('is checked in about a millisecond', () => {
    const files = new Map(Object.entries(base));
    const runs = Array.from({ length: 600 }, () => {
      const start = performance.now();
      checkProject(files);
      return performance.now() - start;
    });
    // 1 ms on a quiet machine; tests share theirs.
    expect(runs.slice(200).toSorted((a, b) => a - b)[200]).toBeLessThan(3);
  });
});

test.each([
  ['agent.py', undefined],
  ['.env', 'refused'],
  ['.env.local', 'refused'],
  ['.env.example', undefined],
  ['.environment', undefined],
  ['src/.git/config', 'refused'],
  ['.gitignore', undefined],
  ['__pycache__/agent.cpython-311.pyc', 'dropped'],
  ['a/b.pyc', 'dropped'],
  ['.pyc', undefined],
  ['venv/bin/python', 'dropped'],
  ['Dockerfile', 'dropped'],
])('%s is left out: %s', (path, expected) => {
  expect(leftOut(path)?.on_server).toBe(expected);
});

describe('the destinations in the code', () => {
  const code = `${agentPy}import tavily
import psycopg
# "https://comment.test/x"
API = "https://api.weather.test/v1"
other = f'http://plain.test:8080/{1}'
own = "https://{host}.test/", "https://api.openai.com/v1", "http://localhost:1/", "https://www.example.com/"
`;
  const egress = (files: Files) =>
    check(files)
      .findings.filter(({ code: of }) => of.startsWith('egress_'))
      .map(({ code: of, severity, message, suggestion = '' }) => [of, severity, message, suggestion]);

  test('that `deploy.egress` lacks are proposed with their reason and the line of agent.yaml', () => {
    const [missing, raw, ...others] = egress({ 'agent.py': code, 'tests/test_a.py': 'import stripe\n' });
    expect(others).toEqual([]);
    expect(missing).toEqual([
      'egress_missing',
      'notice',
      expect.stringContaining(
        'api.tavily.com:443 (import tavily), api.weather.test:443 (an address in its code), plain.test:8080 (an address in its code), and',
      ),
      'In agent.yaml: deploy: {egress: ["api.tavily.com:443", "api.weather.test:443", "plain.test:8080"]}',
    ]);
    expect(raw).toMatchObject([
      'egress_not_http',
      'notice',
      expect.stringMatching(/^import psycopg: .* PostgreSQL/),
      '',
    ]);
  });

  test('are covered by the list and its wildcards; a listed port of a database is named', () => {
    const list = 'deploy: {egress: ["api.tavily.com:443", "*.weather.test:443", "plain.test:8080", "db.test:5432"]}\n';
    expect(egress({ 'agent.py': code, 'agent.yaml': agentYaml + list })).toMatchObject([
      ['egress_not_http', 'notice', expect.stringMatching(/^`deploy\.egress` lists db\.test:5432\. .* PostgreSQL/), ''],
    ]);
  });
});
