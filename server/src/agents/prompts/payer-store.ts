// The key that pays for the trials of a prompt.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export async function keyOf(db: Reader, prompt_id: string): Promise<string | undefined> {
  const row = await db.one<{ key_id: string }>(sql`select key_id from prompt_payer where prompt_id = ${prompt_id}`);
  return row?.key_id;
}

export async function putKey(tx: GovernedTx, prompt_id: string, key_id: string): Promise<void> {
  await tx.write(
    'prompt_payer',
    sql`
      insert into prompt_payer (prompt_id, key_id) values (${prompt_id}, ${key_id})
      on conflict (prompt_id) do update set key_id = excluded.key_id returning id`,
  );
}

/** Returns its key. */
export async function remove(tx: GovernedTx, prompt_id: string): Promise<string[]> {
  const rows = await tx.write<{ id: string; key_id: string }>(
    'prompt_payer',
    sql`delete from prompt_payer where prompt_id = ${prompt_id} returning id, key_id`,
  );
  return rows.map(({ key_id }) => key_id);
}
