// The values that a prompt is tried on.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface ExampleRow {
  name: string;
  variables: Record<string, string>;
  expected: string | null;
  created_by: string;
  created_at: string;
}

const columns = sql`name, variables, expected, created_by, created_at`;

/** By name, after that one. */
export const listed = async (db: Reader, prompt_id: string, { after = '', limit }: { after?: string; limit: number }) =>
  await db.all<ExampleRow>(sql`
    select ${columns} from prompt_example where prompt_id = ${prompt_id} and name collate "C" > ${after}
    order by name collate "C" limit ${limit}`);

export const find = async (db: Reader, prompt_id: string, name: string) =>
  await db.one<ExampleRow>(
    sql`select ${columns} from prompt_example where prompt_id = ${prompt_id} and name = ${name}`,
  );

export async function count(db: Reader, prompt_id: string): Promise<number> {
  const row = await db.one<{ count: number }>(sql`select count(*) from prompt_example where prompt_id = ${prompt_id}`);
  return row?.count ?? 0;
}

export async function insert(
  tx: GovernedTx,
  prompt_id: string,
  { name, variables, expected, created_by }: Omit<ExampleRow, 'created_at'>,
): Promise<void> {
  await tx.write(
    'prompt_example',
    sql`
      insert into prompt_example (prompt_id, name, variables, expected, created_by)
      values (${prompt_id}, ${name}, ${JSON.stringify(variables)}::jsonb, ${expected}, ${created_by}) returning id`,
  );
}

/** True when there was one. */
export async function remove(tx: GovernedTx, prompt_id: string, name: string): Promise<boolean> {
  const rows = await tx.write(
    'prompt_example',
    sql`delete from prompt_example where prompt_id = ${prompt_id} and name = ${name} returning id`,
  );
  return rows.length > 0;
}

export async function removeAll(tx: GovernedTx, prompt_id: string): Promise<void> {
  await tx.write('prompt_example', sql`delete from prompt_example where prompt_id = ${prompt_id} returning id`);
}
