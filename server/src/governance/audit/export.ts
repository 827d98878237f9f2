// The stored log, for copies that do not trust this database. Promise: the next export from a cursor misses no entry. An interrupted export
// has no cursor; a repetition from the previous cursor can only repeat entries.
import { chains, type Chain } from '@gantry/contract/audit/audit.ts';
import type { EntryLine, ExportLine } from '@gantry/contract/audit/audit-stream.ts';
import type { Database } from '../../ground/database/database.ts';
import { genesisHash } from '../../../../verifier/verify.mjs';
import type { Row } from './store.ts';
import { printPositions, readPositions, requireKnown, type Positions } from './positions.ts';
import { entriesAfter, heads } from './chain-store.ts';

const page = 1000;

export interface Wish {
  chain?: Chain | undefined;
  since_cursor?: string | undefined;
}

/** The record of an export: the chains and their first entries. */
export interface Exported {
  chain: string;
  since: string[];
}

/** The signed checkpoints over a chain's entries after a number. */
export type CheckpointsBehind = (chain: Chain, after: number) => AsyncIterable<ExportLine>;

/** Exports the entries at the time of the request, and the entry of `record` about the export itself. */
export async function exportLog(
  db: Database,
  { chain, since_cursor }: Wish,
  { record, checkpoints }: { record: (exported: Exported) => Promise<void>; checkpoints: CheckpointsBehind },
): Promise<AsyncGenerator<ExportLine>> {
  const from = since_cursor === undefined ? {} : readPositions(since_cursor);
  await requireKnown(db, from);
  await record({ chain: chain ?? 'all', since: spoken(from) });
  const wanted = chain === undefined ? chains : [chain];
  const until = (await heads(db)).filter((head) => wanted.includes(head.chain));
  return lines(db, { from, until, checkpoints });
}

async function* lines(
  db: Database,
  {
    from,
    until,
    checkpoints,
  }: { from: Positions; until: readonly { chain: Chain; seq: number }[]; checkpoints: CheckpointsBehind },
): AsyncGenerator<ExportLine> {
  const at = { ...from };
  for (const { chain, seq: up_to } of until) {
    at[chain] ??= { seq: 0, hash: genesisHash(chain) };
    for (let after = at[chain].seq; after < up_to;) {
      const rows = await entriesAfter(db, { chain, after, up_to, limit: page });
      yield* rows.map(toLine);
      const last = rows.at(-1);
      if (last === undefined) throw new Error(`entries of the chain ${chain} after ${after} are missing`);
      at[chain] = { seq: last.seq, hash: last.hash };
      after = last.seq;
    }
    yield* checkpoints(chain, from[chain]?.seq ?? 0);
  }
  yield { kind: 'cursor', cursor: printPositions(at) };
}

export function toLine(row: Row): EntryLine {
  return { kind: 'entry', ...row };
}

function spoken(from: Positions): string[] {
  return chains.flatMap((chain) => (from[chain] === undefined ? [] : [`${chain}/${from[chain].seq}`]));
}
