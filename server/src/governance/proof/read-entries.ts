import type { Chain } from '@gantry/contract/audit/audit.ts';
import { storedEntries, type Row } from '../audit/chain.ts';
import type { Database } from '../../ground/database/database.ts';

const batch = 4000;

/** Entries in order, after one number and up to another, in batches. The next batch loads during the work on the current one. */
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
    next.catch(() => {}); // thrown below, unless the reader stopped before
    yield rows;
    rows = await next;
  }
}
