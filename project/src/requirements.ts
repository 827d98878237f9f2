// requirements.txt: the user's packages, the refused lines, and the platform's own packages. The resolver gets the parsed requirements
// next to ours, so no second reader interprets a line. Lines that install from another place than the configured package index, or read
// files outside the project, are refused (T62).
import { frameworks, printRequirement, type Framework, type PlatformRequirement } from './frameworks.ts';
import type { Finding } from './finding.ts';
import { parseLine, printSpec, type Include, type Requirement } from './requirements/parse-line.ts';
import { endsBelow } from './requirements/version-range.ts';

export { normaliseName } from './requirements/parse-line.ts';

/** A requirement and the file that holds it. */
export type DeclaredRequirement = Requirement & { file: string };

export interface ParsedRequirements {
  requirements: DeclaredRequirement[];
  /** Packages that are never built from a source distribution, or `:all:`. */
  only_binary: string[];
  /** Files that are included at the place of their line. */
  includes: (Include & { line: number })[];
  findings: Finding[];
}

const requirementsLimits = { characters: 262_144, lines: 5_000, line_characters: 8_192 } as const;

/** Never throws, for any text. */
export function parseRequirements(text: string, file = 'requirements.txt'): ParsedRequirements {
  const refuse = (line: number, message: string): ParsedRequirements => ({
    requirements: [],
    only_binary: [],
    includes: [],
    findings: [{ code: 'file_too_large', severity: 'error', message, file, line, column: 1, pointer: '' }],
  });
  if (text.length > requirementsLimits.characters)
    return refuse(1, `${file} has ${text.length} characters; at most ${requirementsLimits.characters} are read`);
  const lines = logicalLines(text);
  if (lines.length > requirementsLimits.lines)
    return refuse(requirementsLimits.lines, `${file} has more than ${requirementsLimits.lines} lines`);

  const requirements: DeclaredRequirement[] = [];
  const includes: ParsedRequirements['includes'] = [];
  const only_binary: string[] = [];
  const findings: Finding[] = [];
  for (const { content, line } of lines) {
    const parsed =
      content.length > requirementsLimits.line_characters
        ? ({
            code: 'requirement_unreadable',
            message: `This line is longer than ${requirementsLimits.line_characters} characters`,
          } as const)
        : parseLine(content, line);
    if (parsed === undefined) continue;
    if ('code' in parsed) findings.push({ severity: 'error', file, line, column: 1, pointer: '', ...parsed });
    else if ('include' in parsed) includes.push({ ...parsed, line });
    else if ('only_binary' in parsed) only_binary.push(parsed.only_binary);
    else requirements.push({ ...parsed, file });
  }
  return { requirements, only_binary, includes, findings };
}

export interface Conflict {
  package: string;
  required_by: { source: string; spec: string }[];
  remedy: string;
}

/**
 * The conflicts with packages of the framework that no resolver could satisfy, known without one. A requirement with a marker may not
 * apply, so it conflicts with none.
 */
export function frameworkConflicts(framework: Framework, user: readonly DeclaredRequirement[]): Conflict[] {
  return frameworks[framework].requires.flatMap((platform) => {
    const { name, floor } = platform;
    if (floor === undefined) return [];
    return user
      .filter((one) => one.name === name && one.marker === undefined && endsBelow(one.specifiers, floor))
      .map((requirement) => conflict(platform, floor, requirement));
  });
}

function conflict(platform: PlatformRequirement, floor: string, requirement: DeclaredRequirement): Conflict {
  const { name, file, line } = requirement;
  const spec = printSpec({ ...requirement, extras: [] });
  return {
    package: name,
    required_by: [
      { source: `${file}:${line}`, spec },
      { source: 'platform', spec: printRequirement(platform) },
    ],
    remedy: remedy({ name, spec, file, line, floor }),
  };
}

function remedy(o: { name: string; spec: string; file: string; line: number; floor: string }): string {
  const lock = lockCommand(o.file, [o.name]);
  if (lock !== undefined) return `run \`${lock}\`, so that ${o.file} holds ${o.name} ${o.floor} or later`;
  return `widen \`${o.spec}\` on line ${o.line} of ${o.file} so that it allows ${o.floor} or later`;
}

/** Nobody edits a lock by hand. Undefined for every other file. */
export function lockCommand(file: string, names: readonly string[]): string | undefined {
  return lockCommands.get(file.split('/').at(-1) ?? '')?.(names);
}

const lockCommands = new Map<string, (names: readonly string[]) => string>([
  ['uv.lock', (names) => ['uv lock', ...names.map((name) => `--upgrade-package ${name}`)].join(' ')],
  ['poetry.lock', (names) => `poetry update ${names.join(' ')}`],
]);

/** A backslash at the end of a line continues it; as in pip, comments end first. */
function logicalLines(text: string): { content: string; line: number }[] {
  const result: { content: string; line: number }[] = [];
  let open: { content: string; line: number } | undefined;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const isComment = /^\s*#/.test(raw);
    const continues = !isComment && raw.endsWith('\\');
    // Some readers continue a comment on the next line. The mark makes this line a refused one.
    const part = isComment ? '' : continues ? raw.slice(0, -1) + (/\s#/.test(raw) ? '\u0000' : '') : raw;
    open =
      open === undefined ? { content: part, line: index + 1 } : { content: `${open.content} ${part}`, line: open.line };
    if (continues) continue;
    result.push(open);
    open = undefined;
  }
  return open === undefined ? result : [...result, open];
}
