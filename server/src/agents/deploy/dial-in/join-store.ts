import type { Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';

export interface JoinRow {
  instance_id: string;
  n: number;
  revision_id: string;
  agent_id: string;
  target: string;
  /** Null before the first join with the token. */
  process_hash: string | null;
}

/** The token of a new start. The one before ends. */
export async function putToken(tx: Tx, token: { instance_id: string; hash: string }): Promise<void> {
  await tx.run(sql`
    insert into join_token (instance_id, hash) values (${token.instance_id}, ${token.hash})
    on conflict (instance_id) do update set hash = excluded.hash, process_hash = null, joined_at = null, made_at = clock_now()`);
}

export const joinOf = async (db: Reader, hash: string) =>
  await db.one<JoinRow>(sql`
    select i.id as instance_id, i.n, i.revision_id, p.agent_id, i.target, t.process_hash
    from join_token t join instance i on i.id = t.instance_id join placement p on p.revision_id = i.revision_id
    where t.hash = ${hash}`);

/** False when a process has the token already. */
export async function claimToken(tx: Tx, claim: { hash: string; process_hash: string }): Promise<boolean> {
  const changed = await tx.run(sql`
    update join_token set process_hash = ${claim.process_hash}, joined_at = clock_now()
    where hash = ${claim.hash} and process_hash is null`);
  return changed === 1;
}
