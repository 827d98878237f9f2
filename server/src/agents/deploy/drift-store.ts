// What differs at targets from what was described there.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TargetName } from './parts.ts';
import type { Drift } from './targets/target.ts';

export interface DriftRow extends Drift {
  found_at: string;
  /** Of its revision, while that is known. */
  agent: string | null;
  version: string | null;
  /** The revision answers for its agent. */
  serves: boolean;
}

export const openDrift = async (db: Reader, target: TargetName) =>
  await db.all<DriftRow>(sql`
    select d.kind, d.name, d.what, d.detail, d.revision_id, d.found_at, p.agent, v.version,
      exists (select from route r where r.revision_id = d.revision_id) as serves
    from target_drift d left join placement p on p.revision_id = d.revision_id left join revision v on v.id = d.revision_id
    where d.target = ${target} order by d.found_at, d.kind, d.name, d.what`);

/** False for one that is known already. Its detail is renewed. */
export async function insertDrift(tx: Tx, target: TargetName, found: Drift): Promise<boolean> {
  const { kind, name, what, detail, revision_id } = found;
  const row = await tx.one<{ is_new: boolean }>(sql`
    insert into target_drift (target, kind, name, what, detail, revision_id)
    values (${target}, ${kind}, ${name}, ${what}, ${detail}, ${revision_id})
    on conflict (target, kind, name, what) do update set detail = excluded.detail returning xmax = 0 as is_new`);
  return row?.is_new ?? false;
}

/** False when another process was first. */
export async function removeDrift(
  tx: Tx,
  target: TargetName,
  { kind, name, what }: Pick<Drift, 'kind' | 'name' | 'what'>,
): Promise<boolean> {
  return (
    (await tx.run(sql`
      delete from target_drift where target = ${target} and kind = ${kind} and name = ${name} and what = ${what}`)) > 0
  );
}

/** Null: it was looked at. */
export async function setFailure(tx: Tx, target: TargetName, failure: string | null): Promise<void> {
  await tx.run(sql`update target_look set failure = ${failure} where target = ${target}`);
}

/** Of each target that is looked at: how much differs, and why the last look failed. */
export const driftStates = async (db: Reader) =>
  await db.all<{ target: TargetName; count: number; failure: string | null }>(sql`
    select l.target, l.failure, (select count(*) from target_drift d where d.target = l.target) as count
    from target_look l order by l.target`);

/** True for the process that looks next. */
export async function takeLook(
  tx: Tx,
  { target, every_ms }: { target: TargetName; every_ms: number },
): Promise<boolean> {
  return (
    (await tx.run(sql`
      insert into target_look as l (target, looked_at) values (${target}, clock_now())
      on conflict (target) do update set looked_at = clock_now()
        where l.looked_at < clock_now() - ${every_ms}::float8 * interval '1 ms'`)) > 0
  );
}
