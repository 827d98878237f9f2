import { mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { list } from 'tar';
import { expect, test } from 'vitest';
import { checkHere } from './check-here.ts';
import { pack } from './pack.ts';
import { leftOutNotices, readProject } from './read-project.ts';

function makeProject(files: Record<string, string>): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-pack-'));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    writeFileSync(path.join(directory, file), content);
  }
  return directory;
}

async function namesIn(archive: Uint8Array): Promise<string[]> {
  const names: string[] = [];
  const reader = list({ onReadEntry: (entry) => void names.push(entry.path) });
  const read = new Promise((resolve) => reader.on('end', resolve));
  reader.end(Buffer.from(archive));
  await read;
  return names;
}

const agent = {
  'agent.yaml': 'name: greeter\nversion: 1.0.0\nteam: default\nframework: langgraph\n',
  'agent.py': 'graph = build()\n',
  'tools/search.py': 'x = 1\n',
};

test('secrets, history and caches are left out, and files that may hold secrets are named', async () => {
  const directory = makeProject({
    ...agent,
    '.env': 'KEY=1',
    '.env.production': 'KEY=1',
    '.git/config': '',
    '__pycache__/a.pyc': '',
    '.venv/x': '',
    '.env.example': 'KEY=',
  });
  const project = readProject(directory);
  expect(await namesIn(await pack(project))).toEqual(['.env.example', 'agent.py', 'agent.yaml', 'tools/search.py']);
  expect(leftOutNotices(project)).toEqual([
    '.env is left out: may hold secrets',
    '.env.production is left out: may hold secrets',
    '.git is left out: history, which may hold secrets',
  ]);
});

test('the same files give the same bytes, in every place and at every time', async () => {
  const first = makeProject(agent);
  const second = makeProject(agent);
  utimesSync(path.join(second, 'agent.py'), 1, 1);
  expect(Buffer.compare(await pack(readProject(first)), await pack(readProject(second)))).toBe(0);
});

test('a link is refused, and its target is not read', () => {
  const directory = makeProject(agent);
  symlinkSync('/etc/passwd', path.join(directory, 'data.txt'));
  expect(() => checkHere(readProject(directory))).toThrow('one fault');
});

test('a file with a leading @ in its name is packed, not opened as an archive', async () => {
  const directory = makeProject({ ...agent, '@notes': 'x' });
  expect(await namesIn(await pack(readProject(directory)))).toContain('@notes');
});

test('the walk ends soon after the limit of files', () => {
  const files = Object.fromEntries(Array.from({ length: 10_050 }, (_, n) => [`f${n}`, '']));
  const project = readProject(makeProject(files));
  expect(project.list().length).toBe(10_001);
  expect(() => checkHere(project)).toThrow('faults');
});

test('a file with another name is not used as agent.yaml', () => {
  const directory = makeProject({ 'other.yaml': '' });
  expect(() => readProject(path.join(directory, 'other.yaml'))).toThrow('is not an agent.yaml');
});
