import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { OfScope } from '../../models/keys/policy.ts';

/** An entry of the governance chain, with the rows that it covers. */
export interface EntryRow {
  seq: number;
  event: string;
  team: string | null;
  asset: string | null;
  actor_id: string | null;
  detail: Record<string, unknown>;
  /** As `table:id`. */
  targets: string[];
}

/** In the order of the chain. */
export const entriesAfter = async (db: Reader, after: number, up_to: number) =>
  await db.all<EntryRow>(sql`
    select seq, event, team, asset, body::jsonb #>> '{actor,id}' as actor_id, body::jsonb -> 'detail' as detail, targets
    from audit.entry where chain = 'governance' and seq > ${after} and seq <= ${up_to} order by seq`);

export const requests = async (db: Reader, ids: readonly string[]) =>
  await db.all<{ id: string; asset_id: string; submitted_by: string }>(
    sql`select id, asset_id, submitted_by from approval where id = any(${ids})`,
  );

export const keys = async (db: Reader, ids: readonly string[]) =>
  await db.all<OfScope & { id: string; prefix: string }>(sql`
    select k.id, k.prefix, k.scope, k.scope_id, k.team_id, t.name as team from gateway_key k left join team t on t.id = k.team_id
    where k.id = any(${ids})`);

export const teams = async (db: Reader, names: readonly string[]) =>
  await db.all<{ id: string; name: string }>(sql`select id, name from team where name = any(${names})`);

export const users = async (db: Reader, { ids, emails }: { ids: readonly string[]; emails: readonly string[] }) =>
  await db.all<{ id: string; email: string }>(
    sql`select id, email from app_user where id = any(${ids}) or email = any(${emails})`,
  );
