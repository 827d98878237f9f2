// New entries as they occur. Promise: a reader that resumes after its last id gets each entry exactly once. The reader's rights are loaded
// again before each send, so a removed right ends here too.
import type { AuditUpdate } from '@gantry/contract/audit/audit-stream.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../ground/database/database.ts';
import { printPositions, type Positions } from './positions.ts';
import { poll_ms, recentHeads } from './recent-heads.ts';
import { mayReadEntry, type Scope } from './policy.ts';
import { toEntry, type Filter, type Row } from './store.ts';
import { heads, lastBefore, type HeadRow } from './chain-store.ts';
import { readOn } from './follow.ts';

const page = 200;

export interface Streaming {
  filter: Filter;
  /** Throws if the reader may no longer read. */
  scopeNow: () => Promise<Scope | undefined>;
  from: Positions;
  signal: AbortSignal;
}

export async function* streamEntries(
  db: Database,
  { filter, scopeNow, from, signal }: Streaming,
): AsyncGenerator<StreamEvent<AuditUpdate>> {
  let at = from;
  const position = (): StreamEvent<AuditUpdate> => ({ id: printPositions(at), data: { entry: null } });
  // A connection that breaks before the first entry can then resume at its start.
  yield position();
  while (!signal.aborted) {
    const behind = (await recentHeads(db)).filter(({ chain, seq }) => seq > (at[chain]?.seq ?? 0));
    if (behind.length === 0) {
      await delay(poll_ms, undefined, { signal }).catch(() => {}); // the reader left
      continue;
    }
    const scope = await scopeNow();
    const parts: Row[][] = [];
    const past: HeadRow[] = [];
    for (const head of behind) {
      const { rows, is_last } = await readOn(db, head, { after: at[head.chain]?.seq ?? 0, limit: page, filter, scope });
      parts.push(rows);
      if (is_last) past.push(head);
    }
    const rows = parts.flat().toSorted((a, b) => (a.occurred_at < b.occurred_at ? -1 : 1));
    let told = printPositions(at);
    for (const row of inTurn(parts, rows)) {
      at = { ...at, [row.chain]: { seq: row.seq, hash: row.hash } };
      const entry = toEntry(row);
      if (!mayReadEntry(scope, entry)) continue;
      told = printPositions(at);
      yield { id: told, data: { entry } };
    }
    for (const { chain, seq, hash } of past) at = { ...at, [chain]: { seq, hash } };
    if (printPositions(at) !== told) yield position();
  }
}

/** The start of a new reader: the positions at `since`, or the current ones. */
export async function beginning(db: Database, since: string | undefined): Promise<Positions> {
  const rows = [...(await heads(db)), ...(since === undefined ? [] : await lastBefore(db, since))];
  return Object.fromEntries(rows.map(({ chain, seq, hash }) => [chain, { seq, hash }]));
}

// Sorted by time across the chains. Each chain keeps its own order, even if the clock was set back.
function* inTurn(parts: readonly Row[][], byTime: readonly Row[]): Generator<Row> {
  const next = new Map(
    parts.flatMap((rows) => (rows[0] === undefined ? [] : [[rows[0].chain, rows.values()] as const])),
  );
  for (const { chain } of byTime) {
    const row = next.get(chain)?.next().value;
    if (row !== undefined) yield row;
  }
}
