// Entries → a checked project. Nothing is unpacked while a limit or a path is at fault.
import { checkProject, type CheckedProject } from '@gantry/contract/agent-project.ts';
import { leftOut, type LeftOutRule } from '@gantry/contract/agent-project/left-out.ts';
import { checkLimits } from '@gantry/contract/agent-project/limits.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Entry } from './read-zip.ts';

export interface OpenedProject {
  /** By path, sorted. Empty when a limit or a path is at fault. */
  files: ReadonlyMap<string, Uint8Array>;
  left_out: ReadonlyMap<string, LeftOutRule>;
  checked: Pick<CheckedProject, 'config' | 'deployable' | 'findings'>;
}

export async function openProject(entries: readonly Entry[]): Promise<OpenedProject> {
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
  if (findings.length > 0) return { files: new Map(), left_out, checked: { findings, deployable: false } };
  const files = new Map<string, Uint8Array>();
  for (const entry of sorted) files.set(entry.path, await entry.read());
  return { files, left_out, checked: checkProject(files) };
}

/** `node_modules/a/b.js` → `node_modules`. */
function leftOutPart(path: string): string {
  const segments = path.split('/');
  const end = segments.findIndex((_, index) => leftOut(segments.slice(0, index + 1).join('/')) !== undefined);
  return segments.slice(0, end + 1).join('/');
}
