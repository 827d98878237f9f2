import type { Chain } from '@gantry/contract/audit.ts';
import { storedEntries, type Row } from '../audit/chain.ts';
import type { Database } from '../database/database.ts';

const batch = 4000;

/** Entries in order, after one number and up to another, some thousand at a time; the next are on their way while these are looked at. */
export async function* readEntries(
  db: Database,
  chain: Chain,
  { after, up_to }: { after: number; up_to: number },
): AsyncGenerator<Row[]> {
  const read = async (from: number) => await storedEntries(db, { chain, after: from, up_to, limit: batch });
  let rows = await read(after);
  while (rows.length > 0) {
    const full = rows.length === batch;
    const next = full ? read(rows.at(-1)?.seq ?? up_to) : Promise.resolve([]);
    next.catch(() => {}); // heard below, unless whoever reads stopped before
    yield rows;
    rows = await next;
  }
}
