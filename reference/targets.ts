// What each kind of target does and how that was verified, from targets.txt. There `## …` is a feature. A line `aws (run on ministack) = file: name`
// is a test that proves it, and how it does. A line `gcp - …` says why a kind does not have it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTest } from './threats.ts';

/** `run`: on the real thing. The others are in the order of what they prove. */
export const ways = ['run', 'run on ministack', 'state-tested', 'schema-checked', 'own fake'] as const;

export interface Cell {
  kind: string;
  tests: { way: string; file: string; name: string }[];
  /** Why it is not there. */
  missing: string[];
}

export interface Feature {
  name: string;
  cells: Map<string, Cell>;
}

export async function targetFeatures(): Promise<Feature[]> {
  const features: Feature[] = [];
  const text = await readFile(join(import.meta.dirname, 'targets.txt'), 'utf8');
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, name] = /^## (.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      features.push({ name, cells: new Map() });
      continue;
    }
    const [, kind = '', way = 'run', mark, rest = ''] = /^ {2}(\w+)(?: \(([^)]+)\))? ([=-]) (.+)$/.exec(line) ?? [];
    const feature = features.at(-1);
    if (feature === undefined || mark === undefined) throw new Error(`targets.txt: ${line}`);
    const cell = feature.cells.get(kind) ?? { kind, tests: [], missing: [] };
    feature.cells.set(kind, cell);
    if (mark === '=') cell.tests.push({ way, ...readTest(rest) });
    else cell.missing.push(rest);
  }
  return features;
}
