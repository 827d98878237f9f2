// The texts of an item that a search reads, each by its path.

/** null: all texts together, false: none. */
export type SearchedPaths = false | readonly string[] | null;

/** One for each value that a path such as `memory` or `facts[*].text` leads to. `$` is the whole item. */
export function textsOf(value: unknown, paths: SearchedPaths): string[] {
  if (paths === false) return [];
  const found = paths === null ? [value] : paths.flatMap((path) => (path === '$' ? [value] : at([value], path)));
  return found.map((one) => textsIn(one).join('\n')).filter((text) => text.trim() !== '');
}

function at(values: readonly unknown[], path: string): unknown[] {
  return path
    .split(/\.|\[([^[\]]*)\]/)
    .filter((part) => part !== undefined && part !== '')
    .reduce<unknown[]>((found, part) => found.flatMap((one) => step(one, part)), [...values]);
}

function step(value: unknown, part: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (part === '*') return Object.values(value);
  const members = value as Record<string, unknown>;
  return Object.hasOwn(members, part) ? [members[part]] : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
