// The votes of admins on a request before its decision.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface Vote {
  approval_id: string;
  user_id: string;
  by: string;
  at: string;
  reason: string;
}

/** By request, each in the order of voting. */
export async function votesOf(db: Reader, requests: readonly { id: string }[]): Promise<Map<string, Vote[]>> {
  const all = await votes(
    db,
    requests.map(({ id }) => id),
  );
  return Map.groupBy(all, ({ approval_id }) => approval_id);
}

/** In the order of voting. */
export async function votes(db: Reader, approval_ids: readonly string[]): Promise<Vote[]> {
  return await db.all<Vote>(sql`
    select v.approval_id, v.user_id, u.email as by, v.voted_at as at, v.reason from approval_vote v join app_user u on u.id = v.user_id
    where v.approval_id = any(${approval_ids}) order by v.voted_at, v.id`);
}

/** False if this admin has already voted. */
export async function vote(
  tx: GovernedTx,
  { approval_id, user_id, reason }: { approval_id: string; user_id: string; reason: string },
): Promise<boolean> {
  const rows = await tx.write(
    'approval_vote',
    sql`insert into approval_vote (approval_id, user_id, reason) values (${approval_id}, ${user_id}, ${reason})
        on conflict (approval_id, user_id) do nothing returning id`,
  );
  return rows.length === 1;
}

/** Deletes the votes that a decision did not count, and returns their voters. `but` are ids of the users whose votes stay. */
export async function removeVotes(
  tx: GovernedTx,
  approval_id: string,
  { but }: { but: readonly string[] },
): Promise<string[]> {
  const rows = await tx.write<{ id: string; by: string }>(
    'approval_vote',
    sql`delete from approval_vote v using app_user u where u.id = v.user_id and v.approval_id = ${approval_id} and v.user_id <> all(${but})
        returning v.id, u.email as by`,
  );
  return rows.map(({ by }) => by);
}
