// The ledger of what targets have outside of this machine.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TargetName } from './parts.ts';
import type { OutsideResource } from './targets/outside.ts';

export interface ResourceRow extends OutsideResource {
  agent: string | null;
  revision_id: string | null;
}

export interface Recorded extends OutsideResource {
  target: TargetName;
  of?: { agent: string; revision_id: string } | undefined;
}

/** A repeated record changes nothing. One that was removed is open again. */
export async function record(tx: Tx, { target, kind, name, of }: Recorded): Promise<void> {
  await tx.run(sql`
    insert into target_resource (target, kind, name, agent, revision_id)
    values (${target}, ${kind}, ${name}, ${of?.agent ?? null}, ${of?.revision_id ?? null})
    on conflict (target, kind, name) do update
      set agent = excluded.agent, revision_id = excluded.revision_id, recorded_at = clock_now(), removed_at = null
      where target_resource.removed_at is not null`);
}

export async function setRemoved(tx: Tx, { target, kind, name }: Omit<Recorded, 'of'>): Promise<void> {
  await tx.run(sql`
    update target_resource set removed_at = clock_now()
    where target = ${target} and kind = ${kind} and name = ${name} and removed_at is null`);
}

/** Those that may be there, the oldest first. */
export const openResources = async (db: Reader, target: TargetName) =>
  await db.all<ResourceRow>(sql`
    select kind, name, agent, revision_id from target_resource where target = ${target} and removed_at is null
    order by recorded_at, kind, name`);
