import type { Finding } from '../finding.ts';
import { joined, pathInside } from '../folders/path-inside.ts';
import type { ProjectReader } from './project-reader.ts';
import { fault } from './fault.ts';
import { readMetadata, type PyprojectMetadata } from './pyproject-metadata.ts';
import { readPyprojectDependencies } from './pyproject-dependencies.ts';
import { readRequirementsFiles, type RequirementsFiles } from './read-requirements-files.ts';
import { readToml, tableAt, tomlLimits, type TomlFile } from './read-toml.ts';

export interface FolderDependencies extends RequirementsFiles {
  folder: string;
  /** The file whose requirements count; undefined without one. */
  decides?: 'requirements.txt' | 'pyproject.toml';
  /** The place of those requirements. */
  pyproject?: TomlFile;
  /** From pyproject.toml, also when another file decides. */
  metadata?: PyprojectMetadata;
}

/**
 * `isNamed`: langgraph.json names the folder. For such a folder langgraph prefers a pyproject.toml with a project over requirements.txt.
 */
export function readFolder(
  reader: ProjectReader,
  { folder, isNamed }: { folder: string; isNamed: boolean },
): FolderDependencies {
  const none: FolderDependencies = { folder, requirements: [], constraints: [], only_binary: [], findings: [] };
  const requirements = joined(folder, 'requirements.txt');
  const pyproject = joined(folder, 'pyproject.toml');
  const toml = reader.has(pyproject) ? parseToml(reader, pyproject) : undefined;
  if (toml !== undefined && 'code' in toml) return { ...none, decides: 'pyproject.toml', findings: [toml] };
  const declared = toml && readPyprojectDependencies(toml);
  const metadata = toml && readMetadata(toml);
  const isDynamic = declared?.findings.some(({ code }) => code === 'project_dynamic') === true;

  if (reader.has(requirements) && (declared === undefined || !isNamed || isDynamic)) {
    const read = readRequirementsFiles(reader, requirements);
    const isSilent = declared === undefined || declared.requirements.length === 0;
    const findings = isSilent ? read.findings : [...read.findings, twoFiles(requirements, pyproject)];
    return { folder, decides: 'requirements.txt', ...read, findings, ...(metadata && { metadata }) };
  }
  if (toml === undefined || (declared === undefined && !isWorkspace(toml)))
    return reader.has(joined(folder, 'setup.py')) ? { ...none, findings: [setupFinding(folder)] } : none;
  return {
    folder,
    decides: 'pyproject.toml',
    pyproject: toml,
    ...(metadata && { metadata }),
    ...(declared === undefined ? none : withFiles(reader, { folder, pyproject, declared })),
  };
}

const isWorkspace = ({ value }: TomlFile): boolean => tableAt(value, 'tool', 'uv', 'workspace') !== undefined;

function parseToml(reader: ProjectReader, path: string): TomlFile | Finding {
  const text = reader.text(path);
  return typeof text === 'string' ? readToml(path, text, tomlLimits.pyproject_characters) : text;
}

/** Its own requirements, and those of the files from which setuptools reads them. */
function withFiles(
  reader: ProjectReader,
  o: { folder: string; pyproject: string; declared: NonNullable<ReturnType<typeof readPyprojectDependencies>> },
): RequirementsFiles {
  const { requirements, findings, files } = o.declared;
  const read = files.slice(0, 20).map((name): RequirementsFiles => {
    const path = pathInside(o.folder, name);
    if (path !== undefined && reader.has(path)) return readRequirementsFiles(reader, path);
    const message = `${name.slice(0, 80)} holds the dependencies, and it is not in the project`;
    const finding = fault({ file: o.pyproject }, 'missing_file', message);
    return { requirements: [], constraints: [], only_binary: [], findings: [finding] };
  });
  return {
    requirements: [...requirements, ...read.flatMap((one) => one.requirements)],
    constraints: read.flatMap((one) => one.constraints),
    only_binary: read.flatMap((one) => one.only_binary),
    findings: [...findings, ...read.flatMap((one) => one.findings)],
  };
}

function twoFiles(requirements: string, pyproject: string): Finding {
  const message = `${requirements} is used; the dependencies in ${pyproject} are not read`;
  return fault({ file: pyproject }, 'two_dependency_files', message, { severity: 'notice' });
}

function setupFinding(folder: string): Finding {
  const message = 'setup.py is not run, so its dependencies are unknown';
  const suggestion = 'List them in a requirements.txt beside it.';
  return fault({ file: joined(folder, 'setup.py') }, 'project_dynamic', message, { severity: 'warning', suggestion });
}
