// Keyset cursors: the end of the previous page, sealed to its list and its caller. It does not page through another caller's rows.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import type { Page } from '@gantry/contract/endpoint.ts';

type Key = (string | number)[];

export interface Cursors {
  /** `scope` names list, filter and caller. */
  read(cursor: string | undefined, scope: unknown): Key | undefined;
  /** Ask the store for limit + 1 rows; the extra one proves a next page. A row without a record is left out. */
  page<Row, Item>(
    rows: readonly Row[],
    limit: number,
    scope: unknown,
    key: (row: Row) => Key,
    toItem: (row: Row) => Item | undefined,
  ): Page<Item>;
}

export function cursors(secret: Buffer): Cursors {
  const seal = (text: string, scope: unknown) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([scope, text]))
      .digest()
      .subarray(0, 12);
  return {
    read(cursor, scope) {
      if (cursor === undefined) return undefined;
      const bytes = Buffer.from(cursor, 'base64url');
      const text = bytes.subarray(12).toString();
      if (bytes.length < 13 || !timingSafeEqual(bytes.subarray(0, 12), seal(text, scope)))
        throw new Problem('bad_cursor');
      return JSON.parse(text) as Key; // sealed by us
    },
    page(rows, limit, scope, key, toItem) {
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const items = shown.map(toItem).filter((item) => item !== undefined);
      if (rows.length <= limit || last === undefined) return { items };
      const text = JSON.stringify(key(last));
      return { items, next_cursor: Buffer.concat([seal(text, scope), Buffer.from(text)]).toString('base64url') };
    },
  };
}
