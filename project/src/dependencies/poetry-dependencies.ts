import type { Finding } from '../finding.ts';
import type { DeclaredRequirement } from '../requirements.ts';
import { isName, parseOne, type RequirementFault } from '../requirements/parse-line.ts';
import { fault } from './fault.ts';
import { poetryVersions } from './poetry-versions.ts';
import { isTable, keyLines, textAt, tomlLimits, type TomlFile, type TomlTable } from './read-toml.ts';

/** [tool.poetry.dependencies], translated to PEP 508. `python` is not a package, and optional packages belong to extras. */
export function poetryDependencies(
  toml: TomlFile,
  table: TomlTable,
): { requirements: DeclaredRequirement[]; findings: Finding[] } {
  const requirements: DeclaredRequirement[] = [];
  const findings: Finding[] = [];
  const { file } = toml;
  const lineOf = keyLines(toml, 'tool.poetry.dependencies');
  const entries = Object.entries(table)
    .filter(([name]) => name !== 'python')
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one: unknown) => ({ name, value: one })));
  if (entries.length > tomlLimits.requirements) {
    const message = `${file} has more than ${tomlLimits.requirements} requirements`;
    return { requirements, findings: [fault({ file }, 'file_too_large', message)] };
  }
  for (const { name, value } of entries) {
    const line = lineOf(name);
    const parsed = readEntry(name, value, line);
    if (parsed === undefined) continue;
    if ('code' in parsed) {
      const { code, message, suggestion } = parsed;
      findings.push(fault({ file, line }, code, message, suggestion === undefined ? {} : { suggestion }));
    } else requirements.push({ ...parsed, file });
  }
  return { requirements, findings };
}

function readEntry(name: string, value: unknown, line: number): ReturnType<typeof parseOne> | undefined {
  const table = typeof value === 'string' ? { version: value } : isTable(value) ? value : undefined;
  if (table === undefined || !isName(name)) return unreadable(name);
  if (table['optional'] === true) return undefined;
  const place = elsewhere.find((key) => table[key] !== undefined);
  if (place !== undefined) {
    const message = `\`${name}\` is taken from \`${place}\`; packages come from the package index only`;
    return { code: 'requirement_refused', message, suggestion: 'Name a version of the package index.' };
  }
  const source = textAt(table, 'source');
  if (source !== undefined && source.toLowerCase() !== 'pypi') {
    const message = `\`${name}\` is taken from the source \`${source.slice(0, 40)}\`; the package index is a setting of the service`;
    return { code: 'requirement_refused', message, suggestion: 'Remove `source`; ask an admin to set the index.' };
  }
  const versions = poetryVersions(textAt(table, 'version') ?? '*');
  const [version, ...others] = versions ?? [];
  if (version === undefined || others.length > 0) return unreadable(name);
  const marker = markerOf(table);
  const extraNames: unknown[] = Array.isArray(table['extras']) ? table['extras'] : [];
  const extras = extraNames.join(',');
  return marker === undefined || !extraNames.every((extra) => typeof extra === 'string' && isName(extra))
    ? unreadable(name)
    : parseOne(`${name}${extras === '' ? '' : `[${extras}]`}${version}${marker === '' ? '' : ` ; ${marker}`}`, line);
}

const elsewhere = ['git', 'url', 'path', 'file', 'directory'] as const;

/** Empty for none; undefined for unreadable versions of Python. */
function markerOf(table: TomlTable): string | undefined {
  const markers = textAt(table, 'markers');
  const python = textAt(table, 'python');
  const versions = python === undefined ? [] : poetryVersions(python);
  if (versions === undefined) return undefined;
  const pythons = versions
    .filter((version) => version !== '')
    .map((version) =>
      version
        .split(',')
        .map((part) => part.replace(/^([<>=!~]+)(.*)$/, 'python_full_version $1 "$2"'))
        .join(' and '),
    );
  return [...(markers === undefined ? [] : [markers]), ...(pythons.length === 0 ? [] : [pythons.join(' or ')])]
    .map((part, _, all) => (all.length > 1 || pythons.length > 1 ? `(${part})` : part))
    .join(' and ');
}

function unreadable(name: string): RequirementFault {
  return {
    code: 'requirement_unreadable',
    message: `The versions of \`${name.slice(0, 80)}\` cannot be read`,
    suggestion: 'Write them as `"^1.2"` or `">=1.2,<2"`, one range per package.',
  };
}
