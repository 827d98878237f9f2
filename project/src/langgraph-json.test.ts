import { describe, expect, test } from 'vitest';
import { langgraphJsonLimits, readLanggraphJson } from './langgraph-json.ts';

const read = (value: unknown) => readLanggraphJson(typeof value === 'string' ? value : JSON.stringify(value, null, 2));

test('graphs, dependencies, variables and the Python version are read', () => {
  const { config, findings } = read({
    $schema: 'https://example.com/x.json',
    dependencies: ['.', './libs/shared', 'httpx>=0.27'],
    graphs: { agent: './src/agent/graph.py:graph', other: { path: 'other.py:make', description: 'x' } },
    env: '.env',
    python_version: '3.11',
  });
  expect(findings).toEqual([]);
  expect(config).toEqual({
    dependencies: [
      { folder: '.', line: 4 },
      { folder: 'libs/shared', line: 5 },
      { requirement: 'httpx>=0.27', line: 6 },
    ],
    graphs: { agent: { path: 'src/agent/graph.py', name: 'graph' }, other: { path: 'other.py', name: 'make' } },
    env: '.env',
    python_version: '3.11',
  });
});

test('a dotted module gets its path below a source root', () => {
  expect(read({ graphs: { a: 'my_agent.graph:app' } }).config?.graphs).toEqual({
    a: { path: 'my_agent/graph.py', name: 'app' },
  });
});

test('inline variables are read by name', () => {
  expect(read({ env: { MODEL: 'x', OTHER: 3 } }).config?.env).toEqual({ MODEL: 'x' });
});

test('a missing field is empty', () => {
  expect(read({})).toEqual({ config: { graphs: {}, dependencies: [] }, findings: [] });
});

test.each([
  [{ auth: { path: './auth.py:auth' } }, 'the service signs the callers in'],
  [{ http: { app: './web.py:app' } }, 'serves no others'],
  [{ dockerfile_lines: ['RUN apt-get install -y graphviz'] }, 'the system packages of these lines are missing'],
])('%j is a notice, because it has no effect', (more, why) => {
  const { config, findings } = read({ graphs: { a: './x.py:a' }, dockerfile_lines: [], ...more });
  expect(findings).toMatchObject([
    {
      code: 'setting_ignored',
      severity: 'notice',
      line: Object.keys(more)[0] === 'dockerfile_lines' ? 5 : 6,
      message: expect.stringContaining(why) as string,
    },
  ]);
  expect(Object.keys(config?.graphs ?? {})).toEqual(['a']);
});

const store = (written: object) => read({ graphs: { a: './x.py:a' }, store: written }).findings;

test('the times and the paths of a store are in effect, and a model for its vectors is not', () => {
  const ttl = { default_ttl: 1440, refresh_on_read: true, sweep_interval_minutes: 60 };
  expect(store({ ttl, index: { fields: ['text', '$'] } })).toEqual([]);
  expect(store({ index: { embed: 'openai:text-embedding-3-small', dims: 3 } })).toMatchObject([
    { code: 'setting_ignored', severity: 'notice', pointer: '/store/index/embed', line: 7 },
  ]);
});

test.each([
  [{ ttl: { default_ttl: 0 } }, '/store/ttl/default_ttl'],
  [{ ttl: { default_ttl: '7 days' } }, '/store/ttl/default_ttl'],
  [{ ttl: { default_ttl: 1e9 } }, '/store/ttl/default_ttl'],
  [{ ttl: { refresh_on_read: false } }, '/store/ttl/refresh_on_read'],
  [{ index: { fields: 'text' } }, '/store/index/fields'],
  [{ index: { fields: [1] } }, '/store/index/fields'],
  [{ index: { fields: Array.from({ length: 101 }, () => 'x') } }, '/store/index/fields'],
  [{ index: 1 }, '/store'],
  [[], '/store'],
])('a store with %j is refused by name', (written, pointer) => {
  expect(store(written)).toMatchObject([{ severity: 'error', pointer }]);
});

const checkpointer = (written: unknown) => read({ graphs: { a: './x.py:a' }, checkpointer: written }).findings;

test('the time of threads is in effect, and a serializer is not', () => {
  expect(checkpointer({ ttl: { strategy: 'delete', sweep_interval_minutes: 60, default_ttl: 43_200 } })).toEqual([]);
  expect(checkpointer({ serde: {} })).toMatchObject([
    { code: 'setting_ignored', severity: 'notice', pointer: '/checkpointer/serde' },
  ]);
});

test.each([
  [{ ttl: { default_ttl: 0 } }, '/checkpointer/ttl/default_ttl'],
  [{ ttl: { default_ttl: 1e9 } }, '/checkpointer/ttl/default_ttl'],
  [{ ttl: { strategy: 'keep_latest' } }, '/checkpointer/ttl/strategy'],
  [{ path: './saver.py:make' }, '/checkpointer/path'],
  [{ ttl: 1 }, '/checkpointer'],
  [[], '/checkpointer'],
])('a checkpointer with %j is refused by name', (written, pointer) => {
  expect(checkpointer(written)).toMatchObject([{ severity: 'error', pointer }]);
});

describe('a hostile file', () => {
  test.each<[string, unknown, string]>([
    ['that is not JSON', '{"graphs": ', 'json_syntax'],
    ['with comments', '{ // x\n}', 'json_syntax'],
    ['that is a list', [], 'wrong_type'],
    ['with graphs as a list', { graphs: [] }, 'wrong_type'],
    ['with a graph that is a number', { graphs: { a: 1 } }, 'invalid_value'],
    ['with a graph without a name', { graphs: { a: './x.py' } }, 'invalid_value'],
    ['with a graph outside', { graphs: { a: '../x.py:graph' } }, 'invalid_value'],
    ['with an absolute graph', { graphs: { a: '/x.py:graph' } }, 'invalid_value'],
    ['with a prototype for a graph', '{"graphs": {"__proto__": "./x.py:graph"}}', 'invalid_value'],
    ['with a folder outside', { dependencies: ['../shared'] }, 'unsafe_path'],
    ['with a folder that leaves the project on its way', { dependencies: ['./a/../../a'] }, 'unsafe_path'],
    ['with a dependency that is a number', { dependencies: [1] }, 'wrong_type'],
    ['with dependencies as an object', { dependencies: {} }, 'wrong_type'],
    ['with too many dependencies', { dependencies: Array.from({ length: 1001 }, () => 'x') }, 'file_too_large'],
    ['with too many folders', { dependencies: Array.from({ length: 60 }, (_, at) => `./d${at}`) }, 'file_too_large'],
    ['with a colon in a folder', { dependencies: ['./a:/opt/svc'] }, 'unsafe_path'],
    ['that is too long', ' '.repeat(langgraphJsonLimits.characters + 1), 'file_too_large'],
  ])('%s is refused', (_, value, code) => {
    const { findings, config } = read(value);
    expect(findings.map((finding) => [finding.code, finding.severity])).toEqual([[code, 'error']]);
    expect(Object.keys(config?.graphs ?? {})).toEqual([]);
  });

  test('names a folder once, in every spelling', () => {
    expect(read({ dependencies: ['./a', './a/', './b/../a'] }).config?.dependencies).toMatchObject([{ folder: 'a' }]);
  });

  test('with nesting as deep as its length is refused in time', () => {
    const start = performance.now();
    expect(read('['.repeat(250_000)).findings).toMatchObject([{ code: 'json_syntax' }]);
    expect(read(`{"x":${'['.repeat(120_000)}${']'.repeat(120_000)}}`).findings).toEqual([]);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
