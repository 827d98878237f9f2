import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export async function put(tx: GovernedTx, id: string, sealed: Buffer): Promise<void> {
  await tx.write(
    'secret_value',
    sql`insert into secret_value (id, sealed) values (${id}, ${sealed})
        on conflict (id) do update set sealed = excluded.sealed returning id`,
  );
}

export async function sealed(db: Reader, ids: readonly string[]): Promise<{ id: string; sealed: Buffer }[]> {
  return await db.all<{ id: string; sealed: Buffer }>(sql`select id, sealed from secret_value where id = any(${ids})`);
}

export async function remove(tx: GovernedTx, id: string): Promise<void> {
  await tx.write('secret_value', sql`delete from secret_value where id = ${id} returning id`);
}
