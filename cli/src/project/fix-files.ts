import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { applyEdits, type Finding } from '@gantry/project/finding.ts';
import { difference } from '../view/difference.ts';
import { line, strong, type View } from '../view/view.ts';
import type { LocalProject } from './read-project.ts';

export interface FixedFile {
  file: string;
  view: View;
}

/** Applies the edits of the findings, and shows every line before and after. */
export function fixFiles({ directory }: Pick<LocalProject, 'directory'>, findings: readonly Finding[]): FixedFile[] {
  const byFile = Map.groupBy(
    findings.filter(({ edit }) => edit !== undefined),
    ({ file }) => file,
  );
  return [...byFile].map(([file, ofFile]) => {
    const location = path.join(directory, file);
    const before = readFileSync(location, 'utf8');
    const after = applyEdits(before, ofFile);
    writeFileSync(location, after);
    return { file, view: [line(strong(file)), ...difference(before.split('\n'), after.split('\n'))] };
  });
}
