import type { ProjectFile, ProjectFiles } from '../agent-project/files.ts';
import { readText } from '../agent-project/read-text.ts';
import type { Finding, FindingCode } from '../finding.ts';
import type { Framework } from '../frameworks.ts';
import { parseRequirements, platformRequirements, type Conflict, type Requirement } from '../requirements.ts';

export interface CheckedDependencies {
  /** requirements.txt wins over pyproject.toml, which only the resolver reads. */
  dependency_file?: 'requirements.txt' | 'pyproject.toml';
  requirements: Requirement[];
  conflicts: Conflict[];
}

const longestFileBytes = 1_000_000;

/** Adds to the findings what is wrong. */
export function checkDependencies(
  files: ProjectFiles,
  byPath: ReadonlyMap<string, ProjectFile>,
  framework: Framework | undefined,
  findings: Finding[],
): CheckedDependencies {
  const file = byPath.get('requirements.txt');
  const hasPyproject = byPath.has('pyproject.toml');
  if (file === undefined) {
    if (hasPyproject) return { dependency_file: 'pyproject.toml', requirements: [], conflicts: [] };
    const suggestion = 'Add a requirements.txt if agent.py imports more than the framework.';
    findings.push(
      about(
        'requirements.txt',
        'no_dependency_file',
        'notice',
        'There is no requirements.txt or pyproject.toml; the image gets the framework only',
        suggestion,
      ),
    );
    return { requirements: [], conflicts: [] };
  }
  if (hasPyproject) {
    findings.push(
      about(
        'pyproject.toml',
        'two_dependency_files',
        'notice',
        'requirements.txt is used; the dependencies in pyproject.toml are not read',
      ),
    );
  }
  const text = readText(files, file, longestFileBytes);
  if (typeof text !== 'string') {
    findings.push(text);
    return { dependency_file: 'requirements.txt', requirements: [], conflicts: [] };
  }
  const { requirements, findings: found } = parseRequirements(text);
  const conflicts = framework === undefined ? [] : platformRequirements(framework, requirements).conflicts;
  findings.push(...found, ...conflicts.map(conflictFinding));
  return { dependency_file: 'requirements.txt', requirements, conflicts };
}

function conflictFinding({ required_by, remedy }: Conflict): Finding {
  const [user, platform] = required_by;
  const message = `\`${user?.spec}\` conflicts with \`${platform?.spec}\`, which the service needs`;
  return {
    ...about('requirements.txt', 'dependency_conflict', 'error', message, remedy),
    line: Number(user?.source.split(':').at(-1) ?? 1),
  };
}

function about(
  file: string,
  code: FindingCode,
  severity: Finding['severity'],
  message: string,
  suggestion?: string,
): Finding {
  return {
    code,
    severity,
    message,
    file,
    line: 1,
    column: 1,
    pointer: '',
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
