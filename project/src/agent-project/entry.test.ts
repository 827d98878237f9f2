import { expect, test } from 'vitest';
import { parseEntrypoint } from '../entrypoint/entrypoint.ts';
import { projectEntry } from './entry.ts';

const entry = (entrypoint: string | undefined, others: string[]) =>
  projectEntry({
    entrypoint,
    source_roots: ['src', '.'],
    paths: [entrypoint?.replace(/:.*$/, '') ?? 'agent.py', ...others],
  });

test.each([
  ['src/react_agent/graph.py:graph', 'src/react_agent/graph.py', 'graph'],
  ['./src/react_agent/graph.py:make_graph', 'src/react_agent/graph.py', 'make_graph'],
  ['my-agent/graph.py:graph', 'my-agent/graph.py', 'graph'],
  ['agent.py:app', 'agent.py', 'app'],
])('%s is read', (text, file, name) => {
  expect(parseEntrypoint(text)).toEqual({ file, name });
});

test.each([
  '../outside.py:graph',
  'src/../../outside.py:graph',
  '/etc/agent.py:graph',
  'C:/agent.py:graph',
  String.raw`src\agent.py:graph`,
  'src//agent.py:graph',
  'src/agent.txt:graph',
  'src/agent.py',
  'src/agent.py:',
  'src/agent.py:a.b',
  'src/agent.py:1st',
  'src/agent.py:graph:more',
  'a b/agent.py:graph',
  'src/agent.py\n:graph',
  `${'a/'.repeat(200)}agent.py:graph`,
])('%j is refused', (text) => {
  expect(parseEntrypoint(text)).toBeUndefined();
});

test.each([
  ['a package below src', 'src/react_agent/graph.py:graph', [], 'react_agent.graph', ['src', '.']],
  ['a package at the root', 'my_agent/graph.py:graph', [], 'my_agent.graph', ['src', '.']],
  ['a package itself', 'src/react_agent/__init__.py:graph', [], 'react_agent', ['src', '.']],
  ['a module at the root', 'main.py:graph', [], 'main', ['src', '.']],
  ['no entrypoint', undefined, [], 'agent', ['src', '.']],
  ['agent.py beside a package agent', undefined, ['agent/__init__.py'], '_svc_entry', ['src', '.']],
  ['agent.py and a package src/agent', undefined, ['src/agent/graph.py'], '_svc_entry', ['src', '.']],
  ['a module that src hides', 'tools.py:graph', ['src/tools.py'], '_svc_entry', ['src', '.']],
  ['agent.py beside a folder without code', undefined, ['agent/notes.md'], 'agent', ['src', '.']],
  ['a folder with a hyphen', 'my-agent/graph.py:graph', [], 'my-agent.graph', ['src', '.']],
  ['a folder with a dot', 'v1.0/app/graph.py:graph', [], 'app.graph', ['v1.0', 'src', '.']],
  ['a file with a dot', 'agent.v2.py:graph', [], '_svc_entry', ['src', '.']],
] as const)('%s is imported under its own name', (_, entrypoint, paths, module, source_roots) => {
  expect(entry(entrypoint, [...paths])).toMatchObject({ module, source_roots });
});
