// Entries → a checked project. Nothing is unpacked while a limit or a path is at fault.
import {
  environmentNames,
  isEnvironmentFile,
  max_environment_bytes,
} from '@gantry/project/adoption/environment-files.ts';
import { checkProject, type CheckedProject } from '@gantry/project/agent-project.ts';
import { leftOut, type LeftOutRule } from '@gantry/project/agent-project/left-out.ts';
import { checkLimits } from '@gantry/project/agent-project/limits.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Dropped } from './dropped-files.ts';
import type { Entry } from './read-zip.ts';

export interface OpenedProject {
  /** The name of its folder or its zip. */
  folder: string;
  /** By path, sorted. Empty when a limit or a path is at fault. */
  files: ReadonlyMap<string, Uint8Array>;
  left_out: ReadonlyMap<string, LeftOutRule>;
  checked: Checks;
  /** Names from the files that list variables, also from a left-out `.env`. */
  variables: readonly string[];
}

export type Checks = Pick<CheckedProject, 'config' | 'deployable' | 'findings'>;

export async function openProject({ folder, entries }: Dropped): Promise<OpenedProject> {
  const left_out = new Map<string, LeftOutRule>();
  const kept = entries.filter(({ path }) => {
    const rule = leftOut(path);
    if (rule !== undefined) left_out.set(leftOutPart(path), rule);
    return rule === undefined;
  });
  const sorted = kept.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const twice = sorted.find(({ path }, index) => path === sorted[index + 1]?.path);
  if (twice !== undefined) throw new Problem('archive_unsafe', { detail: `The zip has two files ${twice.path}.` });
  const findings = checkLimits(sorted);
  const nothing = { folder, files: new Map(), left_out, variables: [] };
  if (findings.length > 0) return { ...nothing, checked: { findings, deployable: false } };
  const files = new Map<string, Uint8Array>();
  for (const entry of sorted) files.set(entry.path, await entry.read());
  return { folder, files, left_out, checked: checkProject(files), variables: await variablesOf(entries) };
}

/** The project with this agent.yaml instead of its own, or as its first. */
export function withAgentYaml({ files }: OpenedProject, text: string): Map<string, Uint8Array> {
  const all = [...files, ['agent.yaml', new TextEncoder().encode(text)] as const];
  return new Map(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function variablesOf(entries: readonly Entry[]): Promise<string[]> {
  // A hostile zip can name one path many times.
  const listing = new Map(entries.filter(isListing).map((entry) => [entry.path, entry]));
  const texts: string[] = [];
  for (const entry of listing.values()) texts.push(new TextDecoder().decode(await entry.read()));
  return environmentNames(texts);
}

const isListing = ({ path, size, type }: Entry): boolean =>
  type === 'file' && isEnvironmentFile(path) && size < max_environment_bytes;

/** `node_modules/a/b.js` → `node_modules`. */
function leftOutPart(path: string): string {
  const segments = path.split('/');
  const end = segments.findIndex((_, index) => leftOut(segments.slice(0, index + 1).join('/')) !== undefined);
  return segments.slice(0, end + 1).join('/');
}
