// Rows of any table, past the service.
import type { Database } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';

/** Rows as JSON; the columns are those of the first row. */
export async function insert(db: Database, table: string, rows: readonly object[]): Promise<void> {
  const fields = Object.keys(rows[0] ?? {}).join(', ');
  if (fields === '') return;
  const name: Sql = { strings: [table], values: [] };
  const list: Sql = { strings: [fields], values: [] };
  await db.run(
    sql`insert into ${name} (${list}) select ${list} from json_populate_recordset(null::${name}, ${JSON.stringify(rows)}::json)`,
  );
}

/** Statements with fixed names from a test. */
export async function script(db: Database, statements: readonly string[]): Promise<void> {
  await db.run({ strings: [statements.join('; ')], values: [] });
}
