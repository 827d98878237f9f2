// uv.lock and poetry.lock: the versions that the author has tested. A poetry.lock, and a uv.lock without its pyproject.toml, constrain our
// resolution, so they add no package. Entries from another place than an index constrain nothing; the rules for requirements decide about
// them.
import type { Finding } from '../finding.ts';
import { normaliseName, type DeclaredRequirement } from '../requirements.ts';
import { isName, parseOne } from '../requirements/parse-line.ts';
import { fault } from './fault.ts';
import { isTable, readToml, tableAt, textAt, tomlLimits, type TomlFile, type TomlTable } from './read-toml.ts';
import { normaliseVersion } from './version.ts';

export interface ReadLock {
  /** Undefined for a file that is not TOML. */
  toml?: TomlFile;
  constraints: DeclaredRequirement[];
  findings: Finding[];
}

export function readLock(
  file: string,
  text: string,
  /** Normalised names that the project itself requires. */
  asked: ReadonlySet<string>,
): ReadLock {
  const toml = readToml(file, text, tomlLimits.lock_characters);
  if ('code' in toml) return { constraints: [], findings: [toml] };
  return { toml, ...readPackages(toml, asked) };
}

function readPackages(toml: TomlFile, asked: ReadonlySet<string>): Omit<ReadLock, 'toml'> {
  const { file, text } = toml;
  const listed: unknown = toml.value['package'];
  const packages = (Array.isArray(listed) ? listed : []).filter(isTable);
  if (packages.length > tomlLimits.packages) {
    const message = `${file} has more than ${tomlLimits.packages} packages`;
    return { constraints: [], findings: [fault({ file }, 'file_too_large', message)] };
  }
  const lines = packageLines(text);
  const read = packages.map((one, index) => readPackage(one, { file, line: lines[index] ?? 1 }, asked));
  return withoutAmbiguous({
    constraints: read.flatMap(({ constraint }) => (constraint === undefined ? [] : [constraint])),
    findings: read.flatMap(({ finding }) => (finding === undefined ? [] : [finding])),
  });
}

/** The tables are in the order of the file. */
function packageLines(text: string): number[] {
  return text.split('\n').flatMap((line, index) => (/^\s*\[\[\s*package\s*\]\]/.test(line) ? [index + 1] : []));
}

function readPackage(
  one: TomlTable,
  place: { file: string; line: number },
  asked: ReadonlySet<string>,
): { constraint?: DeclaredRequirement; finding?: Finding } {
  const name = textAt(one, 'name') ?? '';
  const source = tableAt(one, 'source') ?? {};
  // uv names the kind by its key, Poetry by `type`.
  const kind = textAt(source, 'type') ?? Object.keys(source)[0] ?? 'registry';
  if (!isName(name)) return { finding: unreadable(place, name) };
  if (['git', 'url', 'path', 'file'].includes(kind)) {
    if (!asked.has(normaliseName(name))) return {};
    const message = `\`${name}\` is locked to ${kind === 'git' ? 'version control' : 'an address or a file'}; packages come from the package index only`;
    const suggestion = 'Name a version of the package index, and lock again.';
    return { finding: fault(place, 'requirement_refused', message, { suggestion }) };
  }
  if (!['registry', 'legacy'].includes(kind)) return {}; // the project itself, or a folder of it
  const written = textAt(one, 'version') ?? '';
  const version = normaliseVersion(written);
  if (version === undefined) return { finding: unreadable(place, name) };
  if (version.includes('+')) {
    const message = `${name} ${version} is a build of another index; a new version is chosen`;
    return { finding: fault(place, 'setting_ignored', message, { severity: 'warning' }) };
  }
  const parsed = parseOne(`${name}==${version}${markerOf(one)}`, place.line);
  return 'code' in parsed ? { finding: notBound(place, name) } : { constraint: { ...parsed, file: place.file } };
}

/** A version for some platforms only. */
function markerOf(one: TomlTable): string {
  const markers = one['resolution-markers'] ?? one['markers'];
  const texts = (Array.isArray(markers) ? markers : [markers]).filter((marker) => typeof marker === 'string');
  return texts.length === 0 ? '' : ` ; ${texts.map((text) => `(${text})`).join(' or ')}`;
}

/** Two versions of one package without markers to choose between them constrain nothing. */
function withoutAmbiguous({ constraints, findings }: Omit<ReadLock, 'toml'>): Omit<ReadLock, 'toml'> {
  const several = [...Map.groupBy(constraints, ({ name }) => name)].filter(
    ([, versions]) => versions.length > 1 && versions.some(({ marker }) => marker === undefined),
  );
  const names = new Set(several.map(([name]) => name));
  return {
    constraints: constraints.filter(({ name }) => !names.has(name)),
    findings: [
      ...findings,
      ...several.flatMap(([name, [first]]) => (first === undefined ? [] : [notBound(first, name)])),
    ],
  };
}

function notBound(place: { file: string; line: number }, name: string): Finding {
  const message = `The lock has no platforms for the versions of ${name}; a new version is chosen`;
  return fault(place, 'setting_ignored', message, { severity: 'warning' });
}

function unreadable(place: { file: string; line: number }, name: string): Finding {
  const message = `The lock of \`${name.slice(0, 80)}\` cannot be read`;
  return fault(place, 'requirement_unreadable', message, { suggestion: 'Lock again.' });
}
