import type { Finding } from '../finding.ts';
import { folderOf, pathInside } from '../folders/path-inside.ts';
import { parseRequirements, type DeclaredRequirement, type ParsedRequirements } from '../requirements.ts';
import { fault } from './fault.ts';
import type { ProjectReader } from './project-reader.ts';

export interface RequirementsFiles {
  requirements: DeclaredRequirement[];
  constraints: DeclaredRequirement[];
  only_binary: string[];
  findings: Finding[];
}

const includeLimits = { files: 20 } as const;

/**
 * requirements.txt and the project's files that it includes with `-r` and `-c`, each read once. It never reads a file outside the
 * project.
 */
export function readRequirementsFiles(reader: ProjectReader, path: string): RequirementsFiles {
  const found: RequirementsFiles = { requirements: [], constraints: [], only_binary: [], findings: [] };
  visit({ reader, found, seen: new Set() }, { path, as: 'requirements', within: [] });
  return found;
}

interface Visit {
  reader: ProjectReader;
  found: RequirementsFiles;
  seen: Set<string>;
}

interface Place {
  path: string;
  as: 'requirements' | 'constraints';
  /** The chain of files that led here. */
  within: readonly string[];
}

function visit(state: Visit, { path, as, within }: Place): void {
  const { reader, found, seen } = state;
  seen.add(`${as} ${path}`);
  const text = reader.text(path);
  if (typeof text !== 'string') {
    found.findings.push(text);
    return;
  }
  const parsed = parseRequirements(text, path);
  found[as].push(...parsed.requirements);
  found.only_binary.push(...parsed.only_binary);
  found.findings.push(...parsed.findings);
  for (const include of parsed.includes) follow(state, { path, as, within: [...within, path] }, include);
}

function follow(state: Visit, from: Place, include: ParsedRequirements['includes'][number]): void {
  const { reader, found, seen } = state;
  const refuse = (code: Finding['code'], message: string, suggestion: string): void => {
    found.findings.push(fault({ file: from.path, line: include.line }, code, message, { suggestion }));
  };
  const path = pathInside(folderOf(from.path), include.include);
  const shown = include.include.slice(0, 80);
  if (path === undefined)
    return refuse('requirement_refused', `${shown} lies outside the project`, 'Copy it into the project.');
  if (from.within.includes(path))
    return refuse('requirement_refused', `${shown} includes this file again`, 'Remove one of the two lines.');
  if (!reader.has(path)) return refuse('missing_file', `There is no ${path}`, 'Add it, or remove the line.');
  // A constraint binds required packages, and requires none.
  const as = from.as === 'constraints' ? 'constraints' : include.as;
  if (seen.has(`${as} ${path}`)) return;
  if (seen.size >= includeLimits.files)
    return refuse('file_too_large', `More than ${includeLimits.files} files are named`, 'Merge them.');
  visit(state, { path, as, within: from.within });
}
