import type { Reader, Tx } from '../../../../ground/database/database.ts';
import { sql } from '../../../../ground/database/sql.ts';

export interface PartsRow {
  first_id: number;
  last_id: number;
  /** Sealed. */
  parts: Buffer;
  is_last: boolean;
}

export async function put(tx: Tx, run_id: string, { first_id, last_id, parts, is_last }: PartsRow): Promise<void> {
  await tx.run(sql`
    insert into langgraph_part (run_id, first_id, last_id, parts, is_last)
    values (${run_id}, ${first_id}, ${last_id}, ${parts}, ${is_last})`);
}

/** In the order of their ids. */
export const listAfter = async (
  db: Reader,
  run_id: string,
  { after, most }: { after: number; most: number },
): Promise<PartsRow[]> =>
  await db.all<PartsRow>(sql`
    select first_id, last_id, parts, is_last from langgraph_part
    where run_id = ${run_id} and last_id > ${after} order by first_id limit ${most}`);

interface EndOfCall {
  status: number;
  content_type: string;
  body: Buffer;
  /** The parts end as the call did. */
  has_last: boolean;
}

/** Undefined until the call has ended. Gone with the answer: an end without anything. */
export async function endOf(db: Reader, run_id: string): Promise<EndOfCall | 'gone' | undefined> {
  const row = await db.one<EndOfCall & { state: string }>(sql`
    select state, status, content_type, body,
      exists (select from langgraph_part p where p.run_id = i.id and p.is_last) as has_last
    from invocation i where i.id = ${run_id}`);
  if (row === undefined) return 'gone';
  return row.state === 'ended' ? row : undefined;
}
