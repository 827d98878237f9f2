// The folders whose packages the agent needs: the project itself, those that langgraph.json names, and those of a uv workspace or of a path
// source that these require. As with uv, a workspace without a project of its own requires all its members.
import type { Finding } from '../finding.ts';
import { joined, pathInside } from '../folders/path-inside.ts';
import { normaliseName } from '../requirements.ts';
import { membersAmong } from '../folders/workspace-members.ts';
import { fault } from './fault.ts';
import type { ProjectReader } from './project-reader.ts';
import { readFolder, type FolderDependencies } from './read-folder.ts';
import { isTable, tableAt, textAt, type TomlFile } from './read-toml.ts';

export interface NamedFolder {
  folder: string;
  /** In langgraph.json. */
  line: number;
}

export function readFolders(
  reader: ProjectReader,
  named: readonly NamedFolder[],
): { folders: FolderDependencies[]; findings: Finding[] } {
  const findings: Finding[] = [];
  const root = readFolder(reader, { folder: '.', isNamed: named.some(({ folder }) => folder === '.') });
  const others = named.filter(({ folder }) => folder !== '.');
  const read = [root, ...others.flatMap((one) => readNamed(reader, one, findings))];
  return { folders: withLocal(reader, read), findings };
}

function readNamed(reader: ProjectReader, { folder, line }: NamedFolder, findings: Finding[]): FolderDependencies[] {
  if (reader.hasFolder(folder)) return [readFolder(reader, { folder, isNamed: true })];
  const message = `There is no folder ${folder} in the project`;
  findings.push(fault({ file: 'langgraph.json', line }, 'missing_file', message));
  return [];
}

function withLocal(reader: ProjectReader, read: readonly FolderDependencies[]): FolderDependencies[] {
  const found = [...read];
  const seen = new Set(found.map(({ folder }) => folder));
  const candidates = new Map<string, FolderDependencies>();
  const readCandidate = (folder: string): void => {
    if (seen.has(folder) || seen.size >= most || !reader.has(joined(folder, 'pyproject.toml'))) return;
    seen.add(folder);
    const one = readFolder(reader, { folder, isNamed: true });
    const name = one.metadata?.project?.name;
    if (name !== undefined) candidates.set(normaliseName(name), one);
  };
  // The list grows: a member can require another one.
  for (const { folder, pyproject, requirements } of found) {
    if (pyproject === undefined) continue;
    for (const one of [...members(reader, folder, pyproject), ...pathSources(folder, pyproject)]) readCandidate(one);
    const asked = new Set(requirements.map(({ name }) => name));
    const needsAll = read.length === 1 && isVirtual(pyproject);
    for (const [name, one] of candidates) {
      if (!needsAll && !asked.has(name)) continue;
      candidates.delete(name);
      found.push(one);
    }
  }
  return found;
}

/** Far more than the workspaces of agents have. */
const most = 200;

function members(reader: ProjectReader, root: string, { value }: TomlFile): string[] {
  const workspace = tableAt(value, 'tool', 'uv', 'workspace');
  return membersAmong(reader.foldersWith('pyproject.toml'), { root, workspace });
}

function pathSources(root: string, { value }: TomlFile): string[] {
  const sources = Object.values(tableAt(value, 'tool', 'uv', 'sources') ?? {});
  return sources.slice(0, most).flatMap((source) => {
    const path = isTable(source) ? textAt(source, 'path') : undefined;
    const folder = path === undefined ? undefined : pathInside(root, path);
    return folder === undefined ? [] : [folder];
  });
}

const isVirtual = ({ value }: TomlFile): boolean =>
  value['project'] === undefined && tableAt(value, 'tool', 'poetry') === undefined;
