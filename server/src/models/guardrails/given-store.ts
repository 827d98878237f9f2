import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Given } from './rule.ts';

/** A run keeps no more. An agent could repeat its calls with ever new texts. */
const max_run_characters = 1_000_000;

/** A known text is kept once. */
export async function keep(db: Tx, run_id: string, given: readonly Given[]): Promise<void> {
  await db.run(sql`
    insert into guardrail_given (run_id, hash, source, text)
    select ${run_id}, sha256(convert_to(g.source || ' ' || g.text, 'UTF8')), g.source, g.text
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (source text, text text)
    where (select coalesce(sum(length(text)), 0) from guardrail_given where run_id = ${run_id}) < ${max_run_characters}
    on conflict do nothing`);
}

export const givenTo = async (db: Reader, run_id: string) =>
  await db.all<Given>(sql`select source, text from guardrail_given where run_id = ${run_id} order by n`);

export async function forget(db: Tx, run_id: string): Promise<void> {
  await db.run(sql`delete from guardrail_given where run_id = ${run_id}`);
}

/** Forgets the texts of runs whose end nobody has seen. */
export async function forgetOld(db: Tx, keep_hours: number): Promise<void> {
  await db.run(sql`delete from guardrail_given where at < clock_now() - make_interval(hours => ${keep_hours})`);
}
