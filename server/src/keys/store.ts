import type { KeyScope } from '@gantry/contract/keys.ts';
import type { SignedInCaller } from '../access/caller.ts';
import type { GovernedTx } from '../access/change.ts';
import type { Reader } from '../database/database.ts';
import { allOf, sql, type Sql } from '../database/sql.ts';
import { whereListed } from './policy.ts';

export interface KeyRow {
  id: string;
  alias: string;
  prefix: string;
  scope: KeyScope;
  scope_id: string;
  scope_name: string;
  team_id: string | null;
  team: string | null;
  models: string[];
  tags: string[];
  created_by: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  is_expired: boolean;
}

const columns = sql`k.id, k.alias, k.prefix, k.scope, k.scope_id, k.team_id, t.name as team, k.models, k.tags, c.label as created_by,
  k.created_at, k.expires_at, k.revoked_at, coalesce(k.expires_at <= clock_now(), false) as is_expired,
  coalesce((select name from asset where id = k.scope_id), (select label from identity where id = k.scope_id), t.name, 'org') as scope_name`;
const tables = sql`gateway_key k left join team t on t.id = k.team_id join identity c on c.id = k.created_by`;

export const keyById = async (db: Reader, id: string) =>
  await db.one<KeyRow>(sql`select ${columns} from ${tables} where k.id = ${id}`);

/** What never changes about a key. */
export interface KeyIdentity {
  id: string;
  prefix: string;
  scope: KeyScope;
  scope_id: string;
  team_id: string | null;
}

export const keyByDigest = async (db: Reader, digest: Buffer) =>
  await db.one<KeyIdentity>(sql`select id, prefix, scope, scope_id, team_id from gateway_key where digest = ${digest}`);

export interface Listing {
  caller: SignedInCaller;
  scope?: KeyScope | undefined;
  team?: string | undefined;
  all: boolean;
  after?: { created_at: string; id: string } | undefined;
  limit: number;
}

export async function keys(db: Reader, { caller, scope, team, all, after, limit }: Listing): Promise<KeyRow[]> {
  const conditions: Sql[] = [whereListed(caller)];
  if (scope !== undefined) conditions.push(sql`k.scope = ${scope}`);
  if (team !== undefined) conditions.push(sql`t.name = ${team}`);
  if (!all) conditions.push(sql`k.revoked_at is null`);
  if (after !== undefined) conditions.push(sql`(k.created_at, k.id) < (${after.created_at}, ${after.id})`);
  return await db.all<KeyRow>(
    sql`select ${columns} from ${tables} where ${allOf(conditions)} order by k.created_at desc, k.id desc limit ${limit}`,
  );
}

export interface NewKey {
  id: string;
  alias: string;
  scope: KeyScope;
  scope_id: string;
  team_id: string | null;
  digest: Buffer;
  prefix: string;
  models: string[];
  tags: string[];
  created_by: string;
  expires_in_days: number | undefined;
}

export async function insertKey(tx: GovernedTx, key: NewKey): Promise<void> {
  const { expires_in_days: days } = key;
  const expires_at = days === undefined ? sql`null` : sql`clock_now() + make_interval(days => ${days})`;
  await tx.write(
    'gateway_key',
    sql`insert into gateway_key (id, alias, scope, scope_id, team_id, digest, prefix, models, tags, created_by, expires_at)
      values (${key.id}, ${key.alias}, ${key.scope}, ${key.scope_id}, ${key.team_id}, ${key.digest}, ${key.prefix}, ${key.models},
        ${key.tags}, ${key.created_by}, ${expires_at}) returning id`,
  );
}

/** False if it was revoked before. */
export async function revoke(tx: GovernedTx, id: string): Promise<boolean> {
  const rows = await tx.write(
    'gateway_key',
    sql`update gateway_key set revoked_at = clock_now() where id = ${id} and revoked_at is null returning id`,
  );
  return rows.length > 0;
}
