// The log as it is stored, for copies that do not trust this database. Promise: whoever goes on behind the cursor that they were given
// misses no entry; an export that breaks off has no cursor, and done again from the one before repeats entries at most.
import { chains, type Chain } from '@gantry/contract/audit.ts';
import type { EntryLine, ExportLine } from '@gantry/contract/audit-stream.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import { genesisHash } from './hash.ts';
import { printPositions, readPositions, requireKnown, type Positions } from './positions.ts';
import { entriesAfter, heads, type LinkedRow } from './stream-store.ts';

const page = 1000;

export interface Wish {
  chain?: Chain | undefined;
  since_cursor?: string | undefined;
}

/** Up to what is there when it is asked for, the record of the export itself included. */
export async function exportLog(db: Database, caller: Caller, { chain, since_cursor }: Wish) {
  const grant = authorize(caller, 'audit.export', theOrg);
  const from = since_cursor === undefined ? {} : readPositions(since_cursor);
  await requireKnown(db, from);
  await change(db, grant, 'audit.exported', async (_, note) => note({ chain: chain ?? 'all', since: spoken(from) }));
  const wanted = chain === undefined ? chains : [chain];
  return lines(
    db,
    from,
    (await heads(db)).filter((head) => wanted.includes(head.chain)),
  );
}

async function* lines(
  db: Database,
  from: Positions,
  until: readonly { chain: Chain; seq: number }[],
): AsyncGenerator<ExportLine> {
  const at = { ...from };
  for (const { chain, seq: up_to } of until) {
    at[chain] ??= { seq: 0, hash: genesisHash(chain).toString('hex') };
    for (let after = at[chain].seq; after < up_to;) {
      const rows = await entriesAfter(db, { chain, after, up_to, limit: page });
      yield* rows.map(toLine);
      const last = rows.at(-1);
      if (last === undefined) throw new Error(`entries of the chain ${chain} behind ${after} are gone`);
      at[chain] = { seq: last.seq, hash: last.hash.toString('hex') };
      after = last.seq;
    }
  }
  yield { kind: 'cursor', cursor: printPositions(at) };
}

export function toLine(row: LinkedRow): EntryLine {
  const { chain, seq, occurred_at, body } = row;
  return {
    kind: 'entry',
    chain,
    seq,
    occurred_at,
    body,
    prev: row.prev.toString('hex'),
    hash: row.hash.toString('hex'),
  };
}

function spoken(from: Positions): string[] {
  return chains.flatMap((chain) => (from[chain] === undefined ? [] : [`${chain}/${from[chain].seq}`]));
}
