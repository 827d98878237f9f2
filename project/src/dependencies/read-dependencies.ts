// All declared dependencies of a project. The command, the push and step 1 of a deploy use this one function. It runs nothing of the
// project, and never builds it. It reads every folder that langgraph.json names, and the needed members of a uv workspace. In the root folder requirements.txt wins over
// pyproject.toml, unless langgraph.json names `.`: for that folder langgraph takes the pyproject.toml.
import type { ProjectFiles } from '../agent-project/files.ts';
import type { Finding } from '../finding.ts';
import { findLanggraphJson } from '../langgraph-json.ts';
import { folderOf, joined } from '../folders/path-inside.ts';
import { normaliseName, type DeclaredRequirement } from '../requirements.ts';
import { fault } from './fault.ts';
import { projectReader, type ProjectReader } from './project-reader.ts';
import type { LocalProject, RequiredPython } from './pyproject-metadata.ts';
import { readRequirementTexts } from './pyproject-dependencies.ts';
import { hasDefaultGroups, readLockedProject, type LockedProject } from './locked-project.ts';
import type { FolderDependencies } from './read-folder.ts';
import { readFolders } from './read-folders.ts';
import { readLock } from './read-lock.ts';
import { readToolSettings } from './uv-settings.ts';

export interface DeclaredDependencies {
  /** The files that were read, by path. */
  sources: string[];
  requirements: DeclaredRequirement[];
  /** The uv.lock that is installed as it is. */
  locked?: LockedProject;
  /** The requirements that no such lock covers. */
  unlocked: DeclaredRequirement[];
  /** These bind the versions of packages that no such lock has. */
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
  const found = findLanggraphJson(files);
  if (found !== undefined) reader.sources.push('langgraph.json');
  const langgraph = found?.config;
  const named = (langgraph?.dependencies ?? []).flatMap((one) => ('folder' in one ? [one] : []));
  const { folders, findings: missing } = readFolders(reader, named);
  const listed = (langgraph?.dependencies ?? []).flatMap((one) => ('requirement' in one ? [one] : []));
  const texts: Read = { ...readListed(listed), constraints: [], only_binary: [] };

  const projects = folders.flatMap(({ metadata }) => (metadata?.project === undefined ? [] : [metadata.project]));
  const locals = new Set(projects.map(({ name }) => normaliseName(name)));
  const asked = [...folders, texts].flatMap(({ requirements }) => requirements);
  const lock = readLocks(reader, {
    folders,
    named: named.map(({ folder }) => folder),
    asked: new Set(asked.map(({ name }) => name)),
  });
  const isLocked = ({ folder }: FolderDependencies) => lock.locked?.folders.includes(folder) === true;
  const settings = folders.flatMap((one) =>
    one.pyproject === undefined
      ? []
      : [readToolSettings(one.pyproject, { requirements: one.requirements, locals, isLocked: isLocked(one) })],
  );
  const unlocked = [...folders.filter((one) => !isLocked(one)), texts];
  const isDeclared = listed.length > 0 || folders.some(({ decides }) => decides !== undefined);
  // A folder of the project is imported from its place; a package with the same name would be a stranger's.
  const foreign = (requirements: readonly DeclaredRequirement[]) =>
    requirements.filter(({ name }) => !locals.has(name));
  return {
    sources: reader.sources,
    requirements: foreign(asked),
    ...(lock.locked === undefined ? {} : { locked: lock.locked }),
    unlocked: foreign(unlocked.flatMap(({ requirements }) => requirements)),
    constraints: [...unlocked, ...settings, lock].flatMap(({ constraints }) => constraints),
    only_binary: unlocked.flatMap(({ only_binary }) => only_binary),
    projects,
    requires_python: [...folders.flatMap(({ metadata }) => metadata?.requires_python ?? []), ...lock.requires_python],
    ...(langgraph?.python_version === undefined ? {} : { preferred_python: langgraph.python_version }),
    findings: [
      ...(found?.findings ?? []),
      ...missing,
      ...folders.flatMap((one) => (isLocked(one) ? lockedFindings(one) : one.findings)),
      ...texts.findings,
      ...folders.flatMap(({ metadata }) => metadata?.findings ?? []),
      ...lock.findings,
      ...settings.flatMap((one) => one.findings),
      ...(isDeclared || reader.has('setup.py') ? [] : [noFile]),
    ],
  };
}

type Read = Pick<FolderDependencies, 'requirements' | 'constraints' | 'only_binary' | 'findings'>;

/** The lock has the requirements that a build backend computed, and the groups that uv installs without being asked. */
function lockedFindings({ findings, pyproject }: FolderDependencies): Finding[] {
  const hasGroups = pyproject !== undefined && hasDefaultGroups(pyproject);
  return findings.filter(
    ({ code, severity }) =>
      !(code === 'project_dynamic' && severity === 'error') && !(code === 'not_installed' && hasGroups),
  );
}

const noFile: Finding = fault(
  { file: 'requirements.txt' },
  'no_dependency_file',
  'There is no requirements.txt or pyproject.toml; the image gets the framework only',
  { severity: 'notice', suggestion: 'Add a requirements.txt if the agent imports more than the framework.' },
);

function readListed(listed: readonly { requirement: string; line: number }[]): ReturnType<typeof readRequirementTexts> {
  const lines = new Map(listed.map(({ requirement, line }) => [requirement, line]));
  return readRequirementTexts('langgraph.json', [...lines.keys()], (text) => lines.get(text) ?? 1);
}

interface ReadLocks {
  locked?: LockedProject;
  constraints: DeclaredRequirement[];
  requires_python: RequiredPython[];
  findings: Finding[];
}

/** The lock beside the pyproject.toml that was read. With several folders it is the root's, which covers a workspace. */
function readLocks(
  reader: ProjectReader,
  {
    asked,
    ...project
  }: { folders: readonly FolderDependencies[]; named: readonly string[]; asked: ReadonlySet<string> },
): ReadLocks {
  const none: ReadLocks = { constraints: [], requires_python: [], findings: [] };
  const read = project.folders.filter(({ decides }) => decides === 'pyproject.toml').map(({ folder }) => folder);
  if (read.length === 0) return none;
  const beside = [...new Set(['.', ...read])];
  for (const name of ['uv.lock', 'poetry.lock']) {
    const [path, ...others] = beside.map((folder) => joined(folder, name)).filter((one) => reader.has(one));
    if (path === undefined) continue;
    const text = reader.text(path);
    if (typeof text !== 'string') return { ...none, findings: [text] };
    const { toml, constraints, findings } = readLock(path, text, asked);
    const unread = others.map((other) => notRead(other, `${path} is`));
    if (toml === undefined || name !== 'uv.lock' || !read.includes(folderOf(path)))
      return { ...none, constraints, findings: [...findings, ...unread] };
    const exact = readLockedProject(toml, project);
    // The other findings are about the choice of new versions. A faulty lock also seems to lack packages.
    const errors = findings.filter(({ severity }) => severity === 'error');
    return { ...none, ...exact, findings: [...(errors.length > 0 ? errors : exact.findings), ...unread] };
  }
  const unread = ['pdm.lock', 'pylock.toml', 'Pipfile.lock'].filter((name) => reader.has(name));
  return { ...none, findings: unread.map((name) => notRead(name, 'uv.lock and poetry.lock are')) };
}

function notRead(file: string, instead: string): Finding {
  const message = `${file} is not read, ${instead}; new versions are chosen`;
  return fault({ file }, 'setting_ignored', message, { severity: 'notice' });
}
