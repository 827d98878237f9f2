import type { Finding } from '../finding.ts';

export interface Requirement {
  /** Normalised as PEP 503 says: `Typing_Extensions` is `typing-extensions`. */
  name: string;
  extras: string[];
  specifiers: { operator: string; version: string }[];
  /** PEP 508, as written. */
  marker?: string;
  hashes: string[];
  /** From 1. */
  line: number;
}

/** `-r` and `-c`: another file, as written. The caller checks that it is in the project. */
export interface Include {
  include: string;
  as: 'requirements' | 'constraints';
}

/** Packages that must not be built from a source distribution, or `:all:`. */
export interface OnlyBinary {
  only_binary: string;
}

export type RequirementFault = Pick<Finding, 'code' | 'message' | 'suggestion'>;

/** A single requirement, as in pyproject.toml: no options, no hashes, no comments. */
export function parseOne(text: string, line: number): Requirement | RequirementFault {
  // A backslash or a line break could join it with the next line.
  const parsed = /^\s*(?:-|#|$)|\s(?:#|--)|[\\\r\n]/.test(text) ? undefined : parseLine(text, line);
  return parsed === undefined || 'include' in parsed || 'only_binary' in parsed ? unreadable(text) : parsed;
}

/** `typing-extensions[all]>=4,<5 ; python_version < "3.12" --hash=sha256:…`: one line without ambiguity. */
export function printLine({ name, extras, specifiers, marker, hashes }: Requirement): string {
  return [
    printSpec({ name, extras, specifiers }),
    ...(marker === undefined ? [] : [`; ${marker}`]),
    ...hashes.map((hash) => `--hash=${hash}`),
  ].join(' ');
}

/** The part with the versions: `uvicorn[standard]>=0.27`. */
export function printSpec({ name, extras, specifiers }: Pick<Requirement, 'name' | 'extras' | 'specifiers'>): string {
  const versions = specifiers.map(({ operator, version }) => operator + version).join(',');
  return name + (extras.length === 0 ? '' : `[${extras.join(',')}]`) + versions;
}

/** One logical line; undefined when nothing in it matters here. */
export function parseLine(
  content: string,
  line: number,
): Requirement | Include | OnlyBinary | RequirementFault | undefined {
  // Another program reads the rest too, so a line that it could split or join differently is refused.
  if (ambiguous.test(content))
    return refused(
      'This line holds a character or a comment that tools read differently',
      'Write it on one plain line.',
    );
  const written = withoutComment(content).replaceAll(/\s+/g, ' ').trim();
  if (written === '') return undefined;
  if (written.includes('${')) return refused('Environment variables are not expanded here', 'Write the value out.');
  if (written.startsWith('-')) return option(written);
  return place(written) ?? requirement(written, line);
}

/** Characters that some readers take for a line break or an end of text. */
const ambiguous = /[\u0000-\u0008\u000b-\u001f\u007f\u0085\u2028\u2029\ufeff]/;

export function normaliseName(name: string): string {
  return name.replaceAll(/[-_.]+/g, '-').toLowerCase();
}

function option(written: string): Include | OnlyBinary | RequirementFault | undefined {
  const only_binary = /^--only-binary[= ] ?(:all:|:none:|[A-Za-z0-9._,-]+)$/.exec(written)?.[1];
  if (only_binary !== undefined) return { only_binary };
  const [, kind, file] =
    /^(?:-(r|c) ?|--(requirement|constraint)[= ] ?)(?=[^\s=/~-])(.+)$/.exec(written)?.filter(Boolean) ?? [];
  if (kind !== undefined && file !== undefined && !/^[a-z][a-z0-9+.-]*:/i.test(file))
    return { include: file, as: kind.startsWith('r') ? 'requirements' : 'constraints' };
  const name = /^--?[A-Za-z-]+/.exec(written)?.[0] ?? written.slice(0, 20);
  const short = name.startsWith('--') ? name : written.slice(0, 2);
  if (harmlessOptions.has(name)) return undefined;
  const known = refusedOptions[name] ?? refusedOptions[short];
  return known ?? refused(`The option ${name} is unknown here`, 'Remove it.');
}

/** Options without an influence on the source of packages. */
const harmlessOptions: ReadonlySet<string> = new Set(['--require-hashes', '--prefer-binary', '--pre']);

const index = refused(
  'The package index is a setting of the service',
  'Remove the line; ask an admin to set the index.',
);
const include = refused('Only requirement files of this project are read', 'Write their lines into this file.');
const editable = refused(
  'Editable installs are not possible',
  'Put the code next to agent.py and import it from there.',
);
const source = refused('Source builds cannot be requested here', 'Remove the line.');
const refusedOptions: Readonly<Record<string, RequirementFault>> = {
  '-i': index,
  '--index-url': index,
  '--pypi-url': index,
  '--extra-index-url': index,
  '--no-index': index,
  '-f': index,
  '--find-links': index,
  '--trusted-host': index,
  '-r': include,
  '--requirement': include,
  '-c': include,
  '--constraint': include,
  '-e': editable,
  '--editable': editable,
  '--no-binary': source,
};

/** Names of places instead of packages of the index. */
function place(written: string): RequirementFault | undefined {
  const target = /^[A-Za-z0-9._-]+ ?(?:\[[^\]]*\])? ?@ ?(.*)$/.exec(written)?.[1] ?? written;
  const scheme = /^([a-z][a-z0-9.-]*(?:\+[a-z0-9]+)?):/i.exec(target)?.[1]?.toLowerCase();
  if (scheme?.includes('+') || scheme === 'git')
    return refused('Packages from version control are not installed', onlyIndex);
  if (scheme === 'file') return refused('Packages from the file system are not installed', onlyIndex);
  if (scheme !== undefined) return refused('Packages from an address are not installed', onlyIndex);
  if (/^[./~\\]|^[^;#\s[]*[/\\]|\.(?:whl|zip|tar\.gz|tgz)(?:\s|;|$)/.test(target) || target !== written) {
    return refused('Packages from a path are not installed', onlyIndex);
  }
  return undefined;
}

const onlyIndex = 'Name a package of the package index and its version; code of your own belongs next to agent.py.';

/** PEP 508. */
export const isName = (text: string): boolean => /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text);

/** PEP 508 has no backslash; at the end it would join the next line. Markers nest, and their evaluation recurses. */
function isMarker(marker: string | undefined): boolean {
  return marker === undefined || (marker !== '' && marker.length <= max_marker_length && !marker.includes('\\'));
}

const max_marker_length = 1_000;

function unreadable(written: string): RequirementFault {
  return {
    code: 'requirement_unreadable',
    message: `This is not a requirement: ${written.slice(0, 80)}`,
    suggestion: 'Write a package name and versions, such as `httpx>=0.27,<1`.',
  };
}

function requirement(written: string, line: number): Requirement | RequirementFault {
  const [beforeOptions = '', ...optionParts] = written.split(/\s--(?=[a-z])/);
  const hashes: string[] = [];
  for (const part of optionParts) {
    const hash = /^hash[=\s]\s*([a-z0-9]+:[0-9a-f]+)\s*$/.exec(part)?.[1];
    if (hash === undefined)
      return refused(`The option --${part.split(/[=\s]/)[0] ?? ''} of a package is not accepted`, 'Remove it.');
    hashes.push(hash);
  }
  const semicolon = beforeOptions.indexOf(';');
  const marker = semicolon < 0 ? undefined : beforeOptions.slice(semicolon + 1).trim();
  const required = (semicolon < 0 ? beforeOptions : beforeOptions.slice(0, semicolon)).trim();
  const [, name, extras, versions] =
    /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*(.*)$/.exec(required) ?? [];
  const specifiers = readSpecifiers(versions ?? '');
  const extraNames = (extras ?? '').split(',').flatMap((extra) => (extra.trim() === '' ? [] : [extra.trim()]));
  if (name === undefined || specifiers === undefined || !extraNames.every(isName) || !isMarker(marker))
    return unreadable(written);
  return {
    name: normaliseName(name),
    extras: extraNames.map(normaliseName),
    specifiers,
    ...(marker === undefined ? {} : { marker }),
    hashes,
    line,
  };
}

/** `>=1,<2`, with or without parentheses; undefined for anything but a list of versions. */
export function readSpecifiers(written: string): Requirement['specifiers'] | undefined {
  const inner = /^\((.*)\)$/.exec(written)?.[1] ?? written;
  if (inner.trim() === '') return [];
  const result: Requirement['specifiers'] = [];
  for (const part of inner.split(',')) {
    const [, operator, version] = /^\s*(===|==|~=|!=|<=|>=|<|>)\s*([A-Za-z0-9.*+!_-]+)\s*$/.exec(part) ?? [];
    if (operator === undefined || version === undefined) {
      if (part.trim() === '' && result.length > 0) continue; // a trailing comma, which pip lets pass
      return undefined;
    }
    result.push({ operator, version });
  }
  return result;
}

function withoutComment(content: string): string {
  const comment = /(?:^|\s)#/.exec(content);
  return comment === null ? content : content.slice(0, comment.index);
}

function refused(message: string, suggestion: string): RequirementFault {
  return { code: 'requirement_refused', message, suggestion };
}
