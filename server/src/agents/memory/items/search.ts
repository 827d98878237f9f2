// Search in the items of one owner, in memory: they are stored sealed. With a query, items that have its words come first, the best first. The others
// follow, the last changed first, as a search by meaning would also give the far ones.
import MiniSearch from 'minisearch';
import type { ItemOp } from '@gantry/contract/agents/memory.ts';

export interface KnownItem {
  address: Buffer;
  namespace: string[];
  key: string;
  value: Record<string, unknown>;
  /** The paths whose texts are searched; null: all texts, false: none. */
  index: false | string[] | null;
  created_at: string;
  updated_at: string;
}

type Search = Extract<ItemOp, { op: 'search' }>;
type List = Extract<ItemOp, { op: 'list_namespaces' }>;

export interface Found {
  item: KnownItem;
  score: number | null;
}

/** `items` are ordered, the last changed first. */
export function searchItems(items: readonly KnownItem[], { prefix, query, filter, limit, offset }: Search): Found[] {
  const among = items.filter((item) => startsWith(item.namespace, prefix) && passes(item.value, filter ?? {}));
  const ranked =
    query === null || query.trim() === '' ? among.map((item) => ({ item, score: null })) : rank(among, query);
  return ranked.slice(offset, offset + limit);
}

function rank(items: readonly KnownItem[], query: string): Found[] {
  const index = new MiniSearch({
    fields: ['text'],
    searchOptions: { prefix: (term) => term.length > 3, fuzzy: (term) => (term.length > 5 ? 0.2 : false) },
  });
  index.addAll(items.map(({ value, index: paths }, id) => ({ id, text: textOf(value, paths) })));
  const scores = new Map(index.search(query).map(({ id, score }) => [id as number, score])); // the ids given above
  const best = Math.max(...scores.values(), 1);
  return items
    .map((item, id) => ({ item, score: scores.has(id) ? (scores.get(id) ?? 0) / best : null }))
    .toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1));
}

/** Sorted without repeats, as langgraph lists them. */
export function listNamespaces(items: readonly KnownItem[], { match, max_depth, limit, offset }: List): string[][] {
  const matching = items
    .map(({ namespace }) => namespace)
    .filter((namespace) => match.every(({ type, path }) => fits(namespace, type, path)))
    .map((namespace) => namespace.slice(0, max_depth ?? namespace.length));
  const unique = new Map(matching.map((namespace) => [JSON.stringify(namespace), namespace]));
  return [...unique.values()].toSorted(byParts).slice(offset, offset + limit);
}

function byParts(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return a.length - b.length;
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}

function fits(namespace: readonly string[], type: 'prefix' | 'suffix', path: readonly string[]): boolean {
  if (path.length > namespace.length) return false;
  const part = type === 'prefix' ? namespace.slice(0, path.length) : namespace.slice(namespace.length - path.length);
  return path.every((wanted, index) => wanted === '*' || wanted === part[index]);
}

function startsWith(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((part, index) => part === namespace[index]);
}

type Compare = (value: unknown, wanted: unknown) => boolean;
const ordered =
  (holds: (order: number) => boolean): Compare =>
  (value, wanted) =>
    value !== undefined &&
    value !== null &&
    typeof value === typeof wanted &&
    holds(value < (wanted as typeof value) ? -1 : value > (wanted as typeof value) ? 1 : 0);
const operators: Readonly<Record<string, Compare>> = {
  $eq: isEqual,
  $ne: (value, wanted) => !isEqual(value, wanted),
  $gt: ordered((order) => order > 0),
  $gte: ordered((order) => order >= 0),
  $lt: ordered((order) => order < 0),
  $lte: ordered((order) => order <= 0),
};

/** As langgraph's own stores filter: a member is equal, or fits operators. */
function passes(value: Record<string, unknown>, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([name, wanted]) =>
    matches(Object.hasOwn(value, name) ? value[name] : undefined, wanted),
  );
}

function matches(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return isEqual(value, wanted);
  const asked = Object.entries(wanted);
  if (asked.length > 0 && asked.every(([name]) => Object.hasOwn(operators, name)))
    return asked.every(([name, operand]) => operators[name]?.(value, operand) ?? false);
  if (typeof value !== 'object' || value === null) return false;
  return passes(value as Record<string, unknown>, wanted as Record<string, unknown>);
}

function isEqual(value: unknown, wanted: unknown): boolean {
  if (value === undefined) return wanted === null;
  return JSON.stringify(value) === JSON.stringify(wanted);
}

/** The texts at the paths, such as `memory` or `facts[*].text`. */
function textOf(value: unknown, paths: KnownItem['index']): string {
  if (paths === false) return '';
  const read = paths === null || paths.includes('$') ? [value] : paths.flatMap((path) => at([value], path));
  return read.flatMap(textsIn).join('\n');
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
