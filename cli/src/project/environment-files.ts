import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  environmentNames,
  isEnvironmentFile,
  max_environment_bytes,
} from '@gantry/project/adoption/environment-files.ts';

/** The names in the files of this project that list variables. */
export function readEnvironmentNames(directory: string): string[] {
  const files = readdirSync(directory)
    .filter(isEnvironmentFile)
    .map((file) => path.join(directory, file))
    .filter(isSmallFile);
  return environmentNames(files.map((file) => readFileSync(file, 'utf8')));
}

function isSmallFile(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size < max_environment_bytes;
}
