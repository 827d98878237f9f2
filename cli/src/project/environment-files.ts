// The variables that a project's code expects, from the files that list them. Only names are read, because values may be secrets.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Names in file order, without repeats. */
export function environmentNames(directory: string): string[] {
  const files = readdirSync(directory)
    .filter((file) => /^\.env(?:[._-](?:example|sample|template|dist))?$/.test(file))
    .map((file) => path.join(directory, file))
    .filter(isSmallFile);
  const names = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^\s*(?:#\s*)?(?:export\s+)?([A-Z][A-Z0-9_]{0,127})\s*=/gm)].flatMap(
      ([, name]) => name ?? [],
    ),
  );
  return [...new Set(names)];
}

function isSmallFile(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size < 100_000;
}
