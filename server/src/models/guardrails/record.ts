// What guardrails did, without any text of a call. A block is written before its refusal goes out. Counts are written every 10 s and when the
// process stops, so a killed process loses at most 10 s of counts. Without a guardrail nothing runs here.
import { apart } from '../../ground/database/apart.ts';
import type { Database } from '../../ground/database/database.ts';
import { within } from '../../ground/within.ts';
import type { CallRecord } from './guarded-call.ts';
import * as store from './record-store.ts';

/** Who made a call. */
export interface RecordedCall {
  agent_id: string | null;
  team_id: string | null;
  key_prefix: string | null;
  run_id: string | null;
}

export interface GuardrailRecord {
  of(call: RecordedCall): CallRecord;
  /** When the counts are written. */
  close(): Promise<void>;
}

const write_every_ms = 10_000;
/** The refusal waits no longer for its row. */
const write_block_ms = 2000;
const late = 'the row of a blocked call was not written in time';

export function openGuardrailRecord(db: Database, { onError }: { onError: (error: unknown) => void }): GuardrailRecord {
  let counts = new Map<string, store.Count>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const add = (one: store.Count) => {
    const key = [one.agent_id, one.team_id, one.rule, one.place, one.outcome].join(' ');
    const known = counts.get(key);
    if (known === undefined) counts.set(key, one);
    else known.count += one.count;
    timer ??= setTimeout(() => {
      writing = writing.then(write);
    }, write_every_ms);
  };

  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    const written = [...counts.values()];
    counts = new Map();
    if (written.length === 0) return;
    const { refused, left, away } = await apart(written, async (some) => await store.addCounts(db, some));
    if (away !== undefined) onError(away);
    for (const one of left) add(one);
    if (refused.length > 0)
      onError(new Error(`the database refuses ${refused.length} counts of guardrails`, { cause: refused[0]?.cause }));
  };

  return {
    of: ({ agent_id, team_id, key_prefix, run_id }) => ({
      count: (done, count) => add({ ...done, agent_id, team_id, count }),
      block: async ({ rule, place, reason }) => {
        const row = { agent_id, team_id, key_prefix, run_id, rule, place, reason };
        const written = store.insertBlock(db, row).then(
          () => true,
          (error: unknown) => (onError(error), true),
        );
        if ((await within(write_block_ms, written)) === undefined) onError(new Error(late));
      },
    }),
    close: async () => {
      await writing;
      await write();
      clearTimeout(timer);
    },
  };
}

/** One bounded step. */
export async function forgetOldRecords(db: Database): Promise<void> {
  await store.forgetOld(db);
}
