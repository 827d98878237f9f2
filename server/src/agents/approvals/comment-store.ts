import type { Comment } from '@gantry/contract/agents/approvals.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

/** The comments of one request, oldest first. */
export async function comments(db: Reader, approval_id: string): Promise<Comment[]> {
  return await db.all<Comment>(sql`
    select c.id, u.label as author, c.message, c.file, c.line, c.created_at from approval_comment c join identity u on u.id = c.author_id
    where c.approval_id = ${approval_id} order by c.created_at, c.id`);
}

export type Said = Pick<Comment, 'message' | 'file' | 'line'>;

/** Undefined if the request has reached its limit. */
export async function insert(
  tx: GovernedTx,
  { approval_id, author_id, most, said }: { approval_id: string; author_id: string; most: number; said: Said },
): Promise<{ id: string; created_at: string } | undefined> {
  // The lock puts comments in sequence, so that the count is correct.
  await tx.one(sql`select 1 from approval where id = ${approval_id} for update`);
  const [row] = await tx.write<{ id: string; created_at: string }>(
    'approval_comment',
    sql`insert into approval_comment (approval_id, author_id, message, file, line)
        select ${approval_id}, ${author_id}, ${said.message}, ${said.file}::text, ${said.line}::int
        where (select count(*) from approval_comment where approval_id = ${approval_id}) < ${most} returning id, created_at`,
  );
  return row;
}
