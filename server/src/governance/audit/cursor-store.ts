import type { Chain } from '@gantry/contract/audit/audit.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { nothing, sql } from '../../ground/database/sql.ts';
import type { HeadRow } from './chain-store.ts';

/** Begins at the head of the chain. */
export async function insert(tx: Tx, name: string, chain: Chain): Promise<void> {
  await tx.run(
    sql`insert into audit_cursor (name, chain, seq) select ${name}, chain, seq from audit.head where chain = ${chain}`,
  );
}

export async function remove(tx: Tx, name: string): Promise<void> {
  await tx.run(sql`delete from audit_cursor where name = ${name}`);
}

/** The head of its chain if the cursor is behind it. The lock lets one transaction at a time move the cursor. */
export async function behind(
  db: Reader,
  name: string,
  { hold }: { hold: boolean },
): Promise<(HeadRow & { after: number }) | undefined> {
  return await db.one<HeadRow & { after: number }>(sql`
    select c.seq as after, h.chain, h.seq, encode(h.hash, 'hex') as hash
    from audit_cursor c join audit.head h on h.chain = c.chain
    where c.name = ${name} and c.seq < h.seq ${hold ? sql`for update of c` : nothing}`);
}

export async function move(tx: Tx, name: string, seq: number): Promise<void> {
  await tx.run(sql`update audit_cursor set seq = ${seq} where name = ${name}`);
}
