import type { Database } from '../ground/database/database.ts';
import { sql } from '../ground/database/sql.ts';

/** Every table by its name, as text. */
export async function databaseAsText(db: Database): Promise<Map<string, string>> {
  const tables = await db.all<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'audit')`);
  const dump = new Map<string, string>();
  for (const { name } of tables) {
    // The names come from the catalog, not from a user.
    const rows = await db.all<{ row: string }>({
      strings: [`select t::text as row from ${name} as t`],
      values: [],
    });
    dump.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return dump;
}

/** Unchanged, and as it looks in a column of bytes, in base64, or with escaped quotes. */
export function contains(text: string, word: string): boolean {
  const bytes = Buffer.from(word);
  const looks = [
    word,
    bytes.toString('hex'),
    bytes.toString('base64').replaceAll('=', ''),
    JSON.stringify(word).slice(1, -1),
  ];
  return looks.some((look) => text.includes(look));
}
