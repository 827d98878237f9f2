// Search in the items of one owner, in memory: they are stored sealed. With a query, the best come first, by meaning where the item and the query have
// vectors, else by their words. What has neither follows, the last changed first.
import MiniSearch from 'minisearch';
import type { ItemOp } from '@gantry/contract/agents/memory.ts';
import { nearest } from '../../../ground/vectors/nearest.ts';
import { textsOf, type SearchedPaths } from './item-texts.ts';

export interface KnownItem {
  address: Buffer;
  namespace: string[];
  key: string;
  value: Record<string, unknown>;
  /** Whose texts are searched. */
  index: SearchedPaths;
  /** Of its texts, by the model of the query. */
  vectors: readonly Float32Array[];
  created_at: string;
  updated_at: string;
}

type Search = Extract<ItemOp, { op: 'search' }>;
type List = Extract<ItemOp, { op: 'list_namespaces' }>;

export interface Found {
  item: KnownItem;
  score: number | null;
}

/** `items` are ordered, the last changed first. `meaning` is the vector of the query. */
export async function searchItems(
  items: readonly KnownItem[],
  { prefix, query, filter, limit, offset }: Search,
  meaning: Float32Array | undefined,
): Promise<Found[]> {
  const among = items.filter((item) => startsWith(item.namespace, prefix) && passes(item.value, filter ?? {}));
  const ranked =
    query === null || query.trim() === ''
      ? among.map((item) => ({ item, score: null }))
      : await rank(among, query, meaning);
  return ranked.slice(offset, offset + limit);
}

async function rank(items: readonly KnownItem[], query: string, meaning: Float32Array | undefined): Promise<Found[]> {
  const near = meaning === undefined ? [] : await nearest(meaning, items, { most: items.length });
  const others = items.filter(({ vectors }) => meaning === undefined || vectors.length === 0);
  const scores = new Map([...near.map(({ thing, score }) => [thing, score] as const), ...byWords(others, query)]);
  return items
    .map((item) => ({ item, score: scores.get(item) ?? null }))
    .toSorted((a, b) => (b.score ?? -2) - (a.score ?? -2));
}

/** The best has 1. */
function byWords(items: readonly KnownItem[], query: string): (readonly [KnownItem, number])[] {
  const index = new MiniSearch({
    fields: ['text'],
    searchOptions: { prefix: (term) => term.length > 3, fuzzy: (term) => (term.length > 5 ? 0.2 : false) },
  });
  index.addAll(items.map(({ value, index: paths }, id) => ({ id, text: textsOf(value, paths).join('\n') })));
  const found = index.search(query);
  const best = Math.max(...found.map(({ score }) => score), 1);
  return found.flatMap(({ id, score }) => {
    const item = items[id as number]; // the ids given above
    return item === undefined ? [] : [[item, score / best] as const];
  });
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
