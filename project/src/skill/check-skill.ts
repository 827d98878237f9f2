// Is this folder a skill? `svc skill push` checks before it sends anything, and the service checks what arrived. A skill is text that agents
// follow, so what a person cannot see in it is refused.
import { leftOut } from '../agent-project/left-out.ts';
import type { ProjectFile, ProjectFiles } from '../agent-project/files.ts';
import { checkLimits, largest, megabytes } from '../agent-project/limits.ts';
import { readText } from '../agent-project/read-text.ts';
import { readAssetConfig } from '../asset-config.ts';
import { looksLikeSecret } from '../asset-config/secret-text.ts';
import type { SkillConfig } from '../asset-config/skill.ts';
import { hasErrors, inOrder, type Finding, type FindingCode } from '../finding.ts';
import { readYaml } from '../read-yaml.ts';
import { textOf } from '../text-of.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { skill_file, skillLimits } from './limits.ts';

export interface CheckedSkill {
  /** The front matter. Present exactly when no finding is an error. */
  config?: SkillConfig;
  findings: Finding[];
}

/** `name`: of the asset, where the caller knows it. Never throws, for any files. */
export function checkSkill(files: ProjectFiles, name?: string): CheckedSkill {
  const listed = files.list();
  const beyond = [...checkLimits(listed), ...beyondLimits(listed), ...refused(listed)];
  if (hasErrors(beyond)) return { findings: inOrder(beyond) };
  const main = listed.find(({ path }) => path === skill_file);
  if (main === undefined) return { findings: [noSkill(listed)] };
  const text = readText(files, main, skillLimits.skill_md_bytes);
  if (typeof text !== 'string') return { findings: [text] };
  const { config, findings: faults } = readFrontMatter(text, name);
  const findings = inOrder([
    ...faults,
    ...listed.filter(({ type }) => type === 'file').flatMap((file) => inFile(files, file)),
  ]);
  return config === undefined || hasErrors(findings) ? { findings } : { config, findings };
}

function beyondLimits(files: readonly ProjectFile[]): Finding[] {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return [
    ...(files.length > skillLimits.files
      ? [at('.', 'project_too_large', `The skill has ${files.length} files; at most ${skillLimits.files} are accepted`)]
      : []),
    ...(bytes > skillLimits.bytes
      ? [
          at(
            '.',
            'project_too_large',
            `The skill has ${megabytes(bytes)}; at most ${megabytes(skillLimits.bytes)} are accepted`,
            largest(files),
          ),
        ]
      : []),
  ];
}

function refused(files: readonly ProjectFile[]): Finding[] {
  return files.flatMap(({ path }) => {
    // A review shows the names of the files.
    const [unseen] = hiddenCharacters(path, path);
    if (unseen !== undefined) return [unseen];
    const rule = leftOut(path);
    return rule?.on_server === 'refused'
      ? [at(path, 'file_refused', `${path} does not belong in a skill: ${rule.why}`, 'Leave it out.')]
      : [];
  });
}

function noSkill(files: readonly ProjectFile[]): Finding {
  const below = files.find(({ path }) => path.endsWith(`/${skill_file}`))?.path;
  const folder = below?.slice(0, -skill_file.length - 1);
  return at(
    skill_file,
    'missing_file',
    `The folder has no ${skill_file}`,
    folder === undefined ? 'Write one, with `name` and `description` between two lines of `---`.' : `Push ${folder}.`,
  );
}

function readFrontMatter(text: string, name: string | undefined): CheckedSkill {
  const [opening] = /^---[ \t]{0,100}\r?\n/.exec(text) ?? [];
  const end = opening === undefined ? -1 : text.slice(opening.length - 1).search(/\n---[ \t]{0,100}(?:\r?\n|$)/);
  if (opening === undefined || end < 0)
    return {
      findings: [
        at(
          skill_file,
          'front_matter',
          `${skill_file} ${opening === undefined ? 'does not start with a line of `---`' : 'has no second line of `---`'}`,
          'Put `name` and `description` at its start, between two lines of `---`.',
        ),
      ],
    };
  // With its first line, so that each fault has its line in the file.
  const source = readYaml(text.slice(0, opening.length + end), skill_file);
  const read = readAssetConfig('skill', source);
  const { config } = read;
  if (config === undefined || name === undefined || config.name === name) return read;
  const place = source.places.get('/name')?.value[0] ?? 0;
  const message = `\`name\` is ${config.name}, but the skill is ${name}`;
  return { findings: [source.finding('invalid_value', place, message, { pointer: '/name' })] };
}

/** Markdown must be text. Any other file may be binary: what is no UTF-8 is not read as instructions. */
function inFile(files: ProjectFiles, file: ProjectFile): Finding[] {
  const text = /\.(?:md|markdown)$/i.test(file.path)
    ? readText(files, file, skillLimits.bytes)
    : textOf(files.read(file.path));
  if (text === undefined) return [];
  return typeof text === 'string' ? [...hiddenCharacters(text, file.path), ...secretsIn(text, file.path)] : [text];
}

/** The first one of a file. */
function secretsIn(text: string, file: string): Finding[] {
  if (!looksLikeSecret(text)) return [];
  const lines = text.split('\n');
  const line = lines.findIndex((one) => looksLikeSecret(one)) + 1;
  return [
    {
      ...at(file, 'secret_in_file', 'This looks like a secret', 'Everybody who may read the skill would read it.'),
      line: Math.max(line, 1),
    },
  ];
}

function at(file: string, code: FindingCode, message: string, suggestion?: string): Finding {
  return {
    code,
    severity: 'error',
    message,
    file,
    line: 1,
    column: 1,
    pointer: '',
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
