import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TargetFile } from '@gantry/contract/assets/targets.ts';

/** Returns the paths. The names come from a server: none of them leaves the folder. */
export function writePolicy(folder: string, files: readonly TargetFile[]): string[] {
  mkdirSync(folder, { recursive: true });
  return files.map(({ file, content }) => {
    const path = join(folder, basename(file));
    writeFileSync(path, content);
    return path;
  });
}
