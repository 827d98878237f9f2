import { isAway } from './database.ts';

export interface Apart<Item> {
  /** The items that the work refuses, each with the reason. */
  refused: { item: Item; cause: unknown }[];
  /** Not done, because of an error that is about no item; with the reason. */
  left: Item[];
  away: unknown;
}

/**
 * Does the work with all items at once. One item never fails the others: what fails is done again in halves, down to the items that fail alone.
 * An error that is about no item, such as a database that is away, fails none.
 */
export async function apart<Item>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<void>,
  isAboutNone: (error: unknown) => boolean = isAway,
): Promise<Apart<Item>> {
  const refused: Apart<Item>['refused'] = [];
  const left = [items];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    try {
      if (next.length > 0) await work(next);
    } catch (cause) {
      if (isAboutNone(cause)) return { refused, left: [next, ...left].flat(), away: cause };
      const [item] = next;
      const half = Math.ceil(next.length / 2);
      if (next.length > 1) left.unshift(next.slice(0, half), next.slice(half));
      else if (item !== undefined) refused.push({ item, cause });
    }
  }
  return { refused, left: [], away: undefined };
}
