// The ledger of what targets have outside of this machine.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TargetName } from './parts.ts';
import type { OutsideResource } from './targets/outside.ts';

type Described = Readonly<Record<string, unknown>>;

interface ResourceRow extends OutsideResource {
  revision_id: string | null;
  described: Described | null;
}

export interface Recorded extends OutsideResource {
  target: TargetName;
  of?: { agent: string; revision_id: string } | undefined;
  described?: Described | undefined;
}

/** One that was removed is open again. The members of a description replace those of before. */
export async function record(tx: Tx, { target, kind, name, of, described }: Recorded): Promise<void> {
  const members = described === undefined ? null : JSON.stringify(described);
  await tx.run(sql`
    insert into target_resource as t (target, kind, name, agent, revision_id, described)
    values (${target}, ${kind}, ${name}, ${of?.agent ?? null}, ${of?.revision_id ?? null}, ${members}::jsonb)
    on conflict (target, kind, name) do update
      set agent = excluded.agent, revision_id = excluded.revision_id, removed_at = null,
        recorded_at = case when t.removed_at is null then t.recorded_at else clock_now() end,
        described = case
          when t.removed_at is not null or t.described is null then excluded.described
          else t.described || coalesce(excluded.described, '{}') end
      where t.removed_at is not null or excluded.described is not null`);
}

export async function setRemoved(tx: Tx, { target, kind, name }: Omit<Recorded, 'of'>): Promise<void> {
  await tx.run(sql`
    update target_resource set removed_at = clock_now()
    where target = ${target} and kind = ${kind} and name = ${name} and removed_at is null`);
}

/** Those that may be there, the oldest first. */
export const openResources = async (db: Reader, target: TargetName) =>
  await db.all<ResourceRow>(sql`
    select kind, name, revision_id, described from target_resource where target = ${target} and removed_at is null
    order by recorded_at, kind, name`);

/**
 * Revisions of which something may be there that nobody needs any more: they have no instance, and their deploy has ended. Also those of deleted
 * agents.
 */
export const unneededRevisions = async (db: Reader, { target, age_ms }: { target: TargetName; age_ms: number }) =>
  await db.all<{ agent: string; revision_id: string }>(sql`
    select t.agent, t.revision_id from target_resource t where t.target = ${target} and ${isUnneeded}
    group by t.agent, t.revision_id having max(t.recorded_at) <= clock_now() - ${age_ms}::float8 * interval '1 ms'`);

export const unneeded = async (db: Reader, target: TargetName) =>
  await db.all<OutsideResource & { agent: string }>(sql`
    select t.kind, t.name, t.agent from target_resource t where t.target = ${target} and ${isUnneeded}
    order by t.recorded_at, t.kind, t.name`);

const isUnneeded = sql`t.removed_at is null and t.revision_id is not null
  and not exists (select from instance i where i.revision_id = t.revision_id)
  and not exists (select from run r where r.id = t.revision_id and r.ended_at is null)`;

/** Of any target: two of them may be of one place. */
export const openWithNames = async (db: Reader, names: readonly string[]) =>
  await db.all<OutsideResource>(
    sql`select kind, name from target_resource where name = any(${names}) and removed_at is null`,
  );

/** Those that may be there stay there. With what is known of its drift. */
export async function forgetTarget(tx: Tx, target: TargetName): Promise<void> {
  await tx.run(sql`delete from target_resource where target = ${target}`);
  await tx.run(sql`delete from target_drift where target = ${target}`);
  await tx.run(sql`delete from target_look where target = ${target}`);
}

export const openOfRevision = async (db: Reader, of: { target: TargetName; revision_id: string }) =>
  await db.all<OutsideResource>(sql`
    select kind, name from target_resource
    where target = ${of.target} and revision_id = ${of.revision_id} and removed_at is null order by recorded_at, kind, name`);

/** Also targets that are no longer there. */
export const targetsWithResources = async (db: Reader): Promise<TargetName[]> =>
  (
    await db.all<{ target: TargetName }>(
      sql`select distinct target from target_resource where removed_at is null and revision_id is not null order by target`,
    )
  ).map(({ target }) => target);
