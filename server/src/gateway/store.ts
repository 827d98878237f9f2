import type { Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { governanceHead } from '../audit/chain.ts';
import type { ModelRow } from './model.ts';

/** Models under this name in the catalogue, and then those whose name at the provider it is. Each with its newest config. */
export const modelsNamed = async (db: Reader, name: string) =>
  await db.all<ModelRow>(sql`
    select a.id, a.name, a.team_id, t.name as team, v.digest, c.config from asset a join team t on t.id = a.team_id
      join lateral (select digest from version where asset_id = a.id order by string_to_array(version, '.')::int[] desc limit 1) v on true
      join content c on c.digest = v.digest
    where a.kind = 'model' and (a.name = ${name} or c.config ->> 'model' = ${name})
    order by (a.name = ${name}) desc, a.name`);

export type ListedModel = ModelRow & { created_at: string };

export const catalogue = async (db: Reader) =>
  await db.all<ListedModel>(sql`
    select a.id, a.name, a.created_at, a.team_id, t.name as team, v.digest, c.config from asset a join team t on t.id = a.team_id
      join lateral (select digest from version where asset_id = a.id order by string_to_array(version, '.')::int[] desc limit 1) v on true
      join content c on c.digest = v.digest
    where a.kind = 'model' order by a.name`);

export const clock = async (db: Reader) => await db.one<{ now: string }>(sql`select clock_now() as now`);

/** Every governed change moves it. */
export const head = async (tx: Tx) => await tx.one<{ hash: string }>(sql`select ${governanceHead} as hash`);
