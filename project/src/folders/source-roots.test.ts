import { expect, test } from 'vitest';
import { filesFromMap } from '../agent-project/files.ts';
import { sourceRoots } from './source-roots.ts';

const folders = (...names: string[]) => ({ dependencies: names.map((folder) => ({ folder, line: 1 })) });

test.each<[string[], string[]]>([
  [['agent.py'], ['.']],
  [
    ['src/react_agent/graph.py', 'agent.py'],
    ['src', '.'],
  ],
  [['src/react_agent/__init__.py'], ['src', '.']],
  [['src/nested/deep/graph.py'], ['src', '.']],
  [['src/module.py'], ['src', '.']],
  [['src/README.md', 'src/data/x.json'], ['.']],
  [['src/not-a-package/x.py'], ['.']],
  [['src/__init__.py'], ['.']],
  [
    ['src/__init__.py', 'src/agent.py'],
    ['.', 'src'],
  ],
])('of %j are %j', (paths, roots) => {
  expect(sourceRoots(filesFromMap(new Map(paths.map((path) => [path, '']))))).toEqual(roots);
});

test.each<[string[], string[], string[]]>([
  [
    ['libs/shared/pyproject.toml', 'libs/shared/src/shared/__init__.py'],
    ['libs/shared'],
    ['.', 'libs/shared/src', 'libs/shared'],
  ],
  [['my_agent/__init__.py', 'my_agent/requirements.txt'], ['my_agent'], ['.']],
  [['apps/my_agent/__init__.py'], ['apps/my_agent'], ['.', 'apps']],
  [['my_agent/__init__.py', 'my_agent/pyproject.toml'], ['my_agent'], ['.', 'my_agent']],
  [['backend/agent/graph.py'], ['backend'], ['.', 'backend']],
  [['src/agent/graph.py'], ['.'], ['src', '.']],
])('of %j with %j in langgraph.json are %j', (paths, named, roots) => {
  expect(sourceRoots(filesFromMap(new Map(paths.map((path) => [path, '']))), folders(...named))).toEqual(roots);
});

test('members of a uv workspace come last, each by its own layout', () => {
  const files = filesFromMap(
    new Map([
      ['packages/app/pyproject.toml', '[project]\nname = "app"\n'],
      ['packages/app/src/app/main.py', ''],
      ['packages/harness/pyproject.toml', '[project]\nname = "harness"\n'],
      ['pyproject.toml', '[tool.uv.workspace]\nmembers = ["packages/*"]\n'],
    ]),
  );
  expect(sourceRoots(files)).toEqual(['.', 'packages/app/src', 'packages/app', 'packages/harness']);
});
