import type { JWK } from 'jose';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { GovernedTx } from '../access/change.ts';

export interface KeyRow {
  id: string;
  kid: string;
  state: 'next' | 'current' | 'retired';
  public_jwk: JWK;
  sealed: Buffer;
  made_at: string;
  signs_since: string | null;
}

const columns = sql`id, kid, state, public_jwk, sealed, made_at, signs_since`;

/** The next one, the current one, and those that a verifier may still need. The next one first. */
export const published = async (db: Reader, retired_hours: number) =>
  await db.all<KeyRow>(sql`
    select ${columns} from signing_key
    where state <> 'retired' or retired_at > clock_now() - make_interval(hours => ${retired_hours})
    order by made_at desc, kid`);

/** Undefined when there is none, or it has signed for too long. */
export const young = async (db: Reader, oldest_days: number) =>
  await db.one<KeyRow>(sql`
    select ${columns} from signing_key
    where state = 'current' and signs_since > clock_now() - make_interval(days => ${oldest_days})`);

/** Of several rotations at once, one after the other. */
export async function lock(tx: Tx): Promise<void> {
  await tx.all(sql`select pg_advisory_xact_lock(hashtext('signing_key'))`);
}

export async function insert(
  tx: GovernedTx,
  { id, kid, public_jwk, sealed }: Pick<KeyRow, 'id' | 'kid' | 'public_jwk' | 'sealed'>,
): Promise<void> {
  await tx.write(
    'signing_key',
    sql`insert into signing_key (id, kid, state, public_jwk, sealed)
      values (${id}, ${kid}, 'next', ${JSON.stringify(public_jwk)}::jsonb, ${sealed}) returning id`,
  );
}

/** The current one retires, the next one signs, and those that nobody needs are deleted. */
export async function advance(tx: GovernedTx, retired_hours: number): Promise<void> {
  await tx.write(
    'signing_key',
    sql`delete from signing_key where retired_at <= clock_now() - make_interval(hours => ${retired_hours}) returning id`,
  );
  await tx.write(
    'signing_key',
    sql`update signing_key set state = 'retired', retired_at = clock_now() where state = 'current' returning id`,
  );
  await tx.write(
    'signing_key',
    sql`update signing_key set state = 'current', signs_since = clock_now() where state = 'next' returning id`,
  );
}
