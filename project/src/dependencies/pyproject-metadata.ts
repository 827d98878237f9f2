import type { Finding } from '../finding.ts';
import { isName } from '../requirements/parse-line.ts';
import { fault } from './fault.ts';
import { poetryVersions } from './poetry-versions.ts';
import { readPython } from './python-version.ts';
import { keyLines, tableAt, textAt, type TomlFile, type TomlTable } from './read-toml.ts';
import { normaliseVersion } from './version.ts';

/** A folder of the project with a name of its own. */
export interface LocalProject {
  /** As written; it has only letters, digits, `-`, `_` and `.`. */
  name: string;
  /** In the normal form of PEP 440. */
  version: string;
}

export interface RequiredPython {
  /** PEP 440, with alternatives between `||`. */
  specifier: string;
  file: string;
  line: number;
}

export interface PyprojectMetadata {
  project?: LocalProject;
  requires_python?: RequiredPython;
  findings: Finding[];
}

/** Only the file's own text, because a build backend runs the project's code. */
export function readMetadata(toml: TomlFile): PyprojectMetadata {
  const findings: Finding[] = [];
  const project = tableAt(toml.value, 'project');
  const poetry = tableAt(toml.value, 'tool', 'poetry');
  const local = readProject(toml, { project, poetry }, findings);
  const requires_python = readRequired(toml, { project, poetry }, findings);
  return {
    ...(local === undefined ? {} : { project: local }),
    ...(requires_python === undefined ? {} : { requires_python }),
    findings,
  };
}

interface Tables {
  project: TomlTable | undefined;
  poetry: TomlTable | undefined;
}

function readProject(toml: TomlFile, { project, poetry }: Tables, findings: Finding[]): LocalProject | undefined {
  const name = textAt(project, 'name') ?? textAt(poetry, 'name');
  if (name === undefined) return undefined;
  const lineOf = keyLines(toml, textAt(project, 'name') === undefined ? 'tool.poetry' : 'project');
  if (!isName(name) || name.length > max_name_length) {
    const message = `The name ${JSON.stringify(name.slice(0, 80))} is not a valid name of a Python project`;
    const suggestion = 'Use letters, digits, `-`, `_` and `.`, with a letter or a digit at both ends.';
    findings.push(fault({ file: toml.file, line: lineOf('name') }, 'invalid_value', message, { suggestion }));
    return undefined;
  }
  const written = textAt(project, 'version') ?? textAt(poetry, 'version');
  if (written === undefined) {
    const message = `The version of ${name} is not written in ${toml.file}; importlib.metadata answers 0.0.0`;
    const suggestion = 'Write `version = "…"` if the code asks for it.';
    findings.push(
      fault({ file: toml.file, line: lineOf('dynamic') }, 'project_dynamic', message, {
        severity: 'notice',
        suggestion,
      }),
    );
    return { name, version: '0.0.0' };
  }
  const version = normaliseVersion(written);
  if (version !== undefined) return { name, version };
  const message = `${JSON.stringify(written.slice(0, 80))} is not a valid version of a Python project`;
  findings.push(
    fault({ file: toml.file, line: lineOf('version') }, 'invalid_value', message, { suggestion: 'Write it as 1.2.3.' }),
  );
  return undefined;
}

/** A folder gets this name. */
const max_name_length = 100;

function readRequired(toml: TomlFile, { project, poetry }: Tables, findings: Finding[]): RequiredPython | undefined {
  const declared = textAt(project, 'requires-python');
  const written = declared ?? textAt(tableAt(poetry, 'dependencies'), 'python');
  if (written === undefined) return undefined;
  const line =
    declared === undefined
      ? keyLines(toml, 'tool.poetry.dependencies')('python')
      : keyLines(toml, 'project')('requires-python');
  const specifier = declared ?? poetryVersions(written)?.join(' || ');
  const { file } = toml;
  if (specifier !== undefined && specifier.length <= max_specifier_length && readPython(specifier) !== undefined)
    return { specifier, file, line };
  const message = `${JSON.stringify(written.slice(0, 80))} is not a range of Python versions`;
  findings.push(fault({ file, line }, 'python_unreadable', message, { suggestion: 'Write them as `>=3.11,<4`.' }));
  return undefined;
}

const max_specifier_length = 500;
