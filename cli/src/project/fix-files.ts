import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { applyEdits, type Finding } from '@gantry/contract/finding.ts';
import { bad, good, line, strong, type View } from '../view/view.ts';
import type { LocalProject } from './read-project.ts';

export interface FixedFile {
  file: string;
  view: View;
}

/** Applies the edits that findings carry, and shows every line before and after. */
export function fixFiles(project: LocalProject, findings: readonly Finding[]): FixedFile[] {
  const byFile = Map.groupBy(
    findings.filter(({ edit }) => edit !== undefined),
    ({ file }) => file,
  );
  return [...byFile].map(([file, ofFile]) => {
    const location = path.join(project.directory, file);
    const before = readFileSync(location, 'utf8');
    const after = applyEdits(before, ofFile);
    writeFileSync(location, after);
    return { file, view: [line(strong(file)), ...difference(before.split('\n'), after.split('\n'))] };
  });
}

/** Edits are few and small: what lies between the common beginning and the common end of each changed stretch is enough. */
function difference(before: string[], after: string[]): View {
  if (before.length === after.length) {
    return before.flatMap((text, n) =>
      text === after[n] ? [] : [line(bad(`  - ${text}`)), line(good(`  + ${after[n] ?? ''}`))],
    );
  }
  const start = before.findIndex((text, n) => text !== after[n]);
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [
    ...before.slice(start, before.length - end).map((text) => line(bad(`  - ${text}`))),
    ...after.slice(start, after.length - end).map((text) => line(good(`  + ${text}`))),
  ];
}
