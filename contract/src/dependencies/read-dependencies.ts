// All declared dependencies of a project. The command, the push and step 1 of a deploy use this one function. It runs nothing of the
// project, and never builds it. It reads every folder that langgraph.json names. In the root folder requirements.txt wins over
// pyproject.toml, unless langgraph.json names `.`: for that folder langgraph takes the pyproject.toml.
import type { ProjectFiles } from '../agent-project/files.ts';
import type { Finding } from '../finding.ts';
import { findLanggraphJson } from '../langgraph-json.ts';
import { joined } from '../path-inside.ts';
import { normaliseName, type DeclaredRequirement } from '../requirements.ts';
import { fault } from './fault.ts';
import { projectReader, type ProjectReader } from './project-reader.ts';
import type { LocalProject, RequiredPython } from './pyproject-metadata.ts';
import { readRequirementTexts } from './pyproject-dependencies.ts';
import { readFolder, type FolderDependencies } from './read-folder.ts';
import { readLock } from './read-lock.ts';
import { readToolSettings } from './uv-settings.ts';

export interface DeclaredDependencies {
  /** The files that were read, by path. */
  sources: string[];
  requirements: DeclaredRequirement[];
  /** These bind the versions of installed packages. */
  constraints: DeclaredRequirement[];
  /** Packages that are never built from a source distribution, or `:all:`. */
  only_binary: string[];
  /** The folders of this project with a name of their own. */
  projects: LocalProject[];
  /** Python must meet each of these. */
  requires_python: RequiredPython[];
  /** `3.11`, from langgraph.json. */
  preferred_python?: string;
  findings: Finding[];
}

export function readDependencies(files: ProjectFiles): DeclaredDependencies {
  const reader = projectReader(files);
  const findings: Finding[] = [];
  const found = findLanggraphJson(files);
  if (found !== undefined) reader.sources.push('langgraph.json');
  findings.push(...(found?.findings ?? []));
  const langgraph = found?.config;
  const named = (langgraph?.dependencies ?? []).flatMap((one) => ('folder' in one ? [one] : []));
  const root = readFolder(reader, { folder: '.', isNamed: named.some(({ folder }) => folder === '.') });
  const others = named.filter(({ folder }) => folder !== '.');
  const folders = [root, ...others.flatMap((one) => readNamed(reader, one, findings))];
  const listed = (langgraph?.dependencies ?? []).flatMap((one) => ('requirement' in one ? [one] : []));
  const texts = readListed(listed);
  const all = [...folders, { ...texts, constraints: [], only_binary: [] }];

  const projects = folders.flatMap(({ metadata }) => (metadata?.project === undefined ? [] : [metadata.project]));
  const locals = new Set(projects.map(({ name }) => normaliseName(name)));
  const asked = all.flatMap(({ requirements }) => requirements);
  const lock = readLocks(reader, folders, new Set(asked.map(({ name }) => name)));
  const settings = folders.flatMap(({ pyproject, requirements }) =>
    pyproject === undefined ? [] : [readToolSettings(pyproject, { requirements, locals })],
  );
  findings.push(
    ...all.flatMap((one) => one.findings),
    ...folders.flatMap(({ metadata }) => metadata?.findings ?? []),
    ...lock.findings,
    ...settings.flatMap((one) => one.findings),
  );
  const isDeclared = listed.length > 0 || folders.some(({ decides }) => decides !== undefined);
  if (!isDeclared && !reader.has('setup.py')) findings.push(noFile);
  return {
    sources: reader.sources,
    // A folder of the project is imported from its place; a package with the same name would be a stranger's.
    requirements: asked.filter(({ name }) => !locals.has(name)),
    constraints: [...all, ...settings, lock].flatMap(({ constraints }) => constraints),
    only_binary: all.flatMap(({ only_binary }) => only_binary),
    projects,
    requires_python: folders.flatMap(({ metadata }) => metadata?.requires_python ?? []),
    ...(langgraph?.python_version === undefined ? {} : { preferred_python: langgraph.python_version }),
    findings,
  };
}

const noFile: Finding = fault(
  { file: 'requirements.txt' },
  'no_dependency_file',
  'There is no requirements.txt or pyproject.toml; the image gets the framework only',
  { severity: 'notice', suggestion: 'Add a requirements.txt if the agent imports more than the framework.' },
);

function readNamed(
  reader: ProjectReader,
  { folder, line }: { folder: string; line: number },
  findings: Finding[],
): FolderDependencies[] {
  if (reader.hasFolder(folder)) return [readFolder(reader, { folder, isNamed: true })];
  const message = `There is no folder ${folder} in the project`;
  findings.push(fault({ file: 'langgraph.json', line }, 'missing_file', message));
  return [];
}

function readListed(listed: readonly { requirement: string; line: number }[]): ReturnType<typeof readRequirementTexts> {
  const lines = new Map(listed.map(({ requirement, line }) => [requirement, line]));
  return readRequirementTexts('langgraph.json', [...lines.keys()], (text) => lines.get(text) ?? 1);
}

/** The lock beside the pyproject.toml that was read. With several folders it is the root's, which covers a workspace. */
function readLocks(
  reader: ProjectReader,
  folders: readonly FolderDependencies[],
  asked: ReadonlySet<string>,
): ReturnType<typeof readLock> {
  const read = folders.filter(({ decides }) => decides === 'pyproject.toml').map(({ folder }) => folder);
  if (read.length === 0) return { constraints: [], findings: [] };
  const beside = [...new Set(['.', ...read])];
  for (const name of ['uv.lock', 'poetry.lock']) {
    const [path, ...others] = beside.map((folder) => joined(folder, name)).filter((one) => reader.has(one));
    if (path === undefined) continue;
    const text = reader.text(path);
    if (typeof text !== 'string') return { constraints: [], findings: [text] };
    const { constraints, findings } = readLock(path, text, asked);
    return { constraints, findings: [...findings, ...others.map((other) => notRead(other, `${path} is`))] };
  }
  const unread = ['pdm.lock', 'pylock.toml', 'Pipfile.lock'].filter((name) => reader.has(name));
  return { constraints: [], findings: unread.map((name) => notRead(name, 'uv.lock and poetry.lock are')) };
}

function notRead(file: string, instead: string): Finding {
  const message = `${file} is not read, ${instead}; new versions are chosen`;
  return fault({ file }, 'setting_ignored', message, { severity: 'notice' });
}
