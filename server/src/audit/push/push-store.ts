import type { Chain } from '@gantry/contract/audit.ts';
import type { Database, Reader } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
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

// Long enough for whoever looks once a month. What the destination holds says it for good.
const notice_days = 30;

export async function introduce(db: Database, destination: string): Promise<void> {
  await db.run(sql`insert into audit_push (destination) values (${destination}) on conflict do nothing`);
}

export async function find(db: Reader, destination: string): Promise<PushRow | undefined> {
  return await db.one<PushRow>(sql`
    select destination, positions, delivered_at, failing_since, last_error,
      case when notice_at > clock_now() - make_interval(days => ${notice_days}) then notice end as notice
    from audit_push where destination = ${destination}`);
}

export interface Holder {
  destination: string;
  owner: string;
  lease_ms: number;
}

/** Undefined while another server sends there. */
export async function claim(db: Reader, { destination, owner, lease_ms }: Holder): Promise<Positions | undefined> {
  const row = await db.one<{ positions: Positions }>(sql`
    update audit_push set owner = ${owner}, lease_until = clock_now() + ${lease_ms} * interval '1 ms'
    where destination = ${destination} and (owner is null or owner = ${owner} or lease_until < clock_now()) returning positions`);
  return row?.positions;
}

export async function release(db: Database, { destination, owner }: Holder): Promise<void> {
  await db.run(sql`update audit_push set owner = null where destination = ${destination} and owner = ${owner}`);
}

/** False when another server sends there by now. */
export async function advance(
  db: Database,
  { destination, owner, lease_ms }: Holder,
  chain: Chain,
  position: Position,
): Promise<boolean> {
  const moved = await db.run(sql`
    update audit_push set positions = positions || ${{ [chain]: position }}::jsonb, delivered_at = clock_now(), failing_since = null,
      last_error = null, lease_until = clock_now() + ${lease_ms} * interval '1 ms'
    where destination = ${destination} and owner = ${owner}`);
  return moved === 1;
}

/** True when it did not fail before. */
export async function fail(db: Database, destination: string, error: string): Promise<boolean> {
  const row = await db.one<{ is_new: boolean }>(sql`
    update audit_push as now set last_error = ${error}, failing_since = coalesce(before.failing_since, clock_now())
    from (select destination, failing_since from audit_push where destination = ${destination} for update) as before
    where now.destination = before.destination returning before.failing_since is null as is_new`);
  return row?.is_new === true;
}

/** These chains are sent again from their beginning. */
export async function restart(db: Database, destination: string, chains: Chain[], notice: string): Promise<void> {
  await db.run(sql`
    update audit_push set positions = positions - ${chains}::text[], notice = ${notice}, notice_at = clock_now() where destination = ${destination}`);
}
