import type { Chain } from '@gantry/contract/audit/audit.ts';
import type { Database, Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { Position } from '../chain-store.ts';
import type { Positions } from '../positions.ts';

export interface PushRow {
  destination: string;
  positions: Positions;
  delivered_at: string | null;
  failing_since: string | null;
  last_error: string | null;
  notice: string | null;
}

// Long enough for a monthly check. The destination's copy is the permanent evidence.
const notice_days = 30;

export const queueOf = (destination: string): string => `push ${destination}`;

export async function positions(db: Reader, destination: string): Promise<Positions> {
  const row = await db.one<{ positions: Positions }>(
    sql`select positions from audit_push where destination = ${destination}`,
  );
  return row?.positions ?? {};
}

export async function find(db: Reader, destination: string): Promise<PushRow> {
  const row = await db.one<PushRow>(sql`
    select to_where as destination, coalesce(positions, '{}') as positions, delivered_at, failing.created_at as failing_since,
      failing.problem as last_error, case when notice_at > clock_now() - make_interval(days => ${notice_days}) then notice end as notice
    from (select ${destination}::text as to_where) as asked
    left join audit_push on destination = to_where
    left join lateral (
      select created_at, problem from job where queue = ${queueOf(destination)} and problem is not null order by created_at limit 1
    ) as failing on true`);
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

export async function advance(tx: Tx, destination: string, chain: Chain, position: Position): Promise<void> {
  await tx.run(sql`
    insert into audit_push as push (destination, positions, delivered_at) values (${destination}, ${{ [chain]: position }}, clock_now())
    on conflict (destination) do update set positions = push.positions || excluded.positions, delivered_at = excluded.delivered_at`);
}

/** Sends the chain again from its beginning. */
export async function restart(db: Database, destination: string, chain: Chain, notice: string): Promise<void> {
  await db.run(sql`
    update audit_push set positions = positions - ${chain}::text, notice = ${notice}, notice_at = clock_now() where destination = ${destination}`);
}
