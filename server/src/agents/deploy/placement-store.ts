// Revisions on their targets, as rows that exist before the target is asked for anything.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { starting, type InstanceRow } from './instance-store.ts';
import type { TargetName } from './parts.ts';

interface Placement {
  revision_id: string;
  agent_id: string;
  agent: string;
  target: TargetName;
}

/** Stores what a deploy is about to make. A repeated step changes nothing. */
export async function insertPlacement(
  tx: Tx,
  { revision_id, agent_id, agent, target }: Placement,
  instances: readonly Pick<InstanceRow, 'id' | 'n'>[],
): Promise<void> {
  await tx.run(sql`
    insert into placement (revision_id, agent_id, agent, target) values (${revision_id}, ${agent_id}, ${agent}, ${target})
    on conflict do nothing`);
  await tx.run(sql`
    insert into instance (id, n, revision_id, target, state, detail)
    select i.id, i.n, ${revision_id}, ${target}, 'starting', ${starting}
    from jsonb_to_recordset(${JSON.stringify(instances)}::jsonb) as i (id uuid, n integer) on conflict do nothing`);
}

/** What a deploy has made or was about to make. Also of a revision that was never registered. */
export const placedInstances = async (db: Reader, revision_id: string) =>
  await db.all<Pick<InstanceRow, 'id' | 'n' | 'revision_id' | 'agent' | 'target' | 'place'>>(sql`
    select i.id, i.n, i.revision_id, p.agent, i.target, i.place from placement p join instance i on i.revision_id = p.revision_id
    where p.revision_id = ${revision_id} order by i.n`);

/** Placements on the target whose deploy has ended without a revision. */
export const abandonedPlacements = async (db: Reader, target: TargetName) =>
  await db.all<Pick<Placement, 'revision_id'>>(sql`
    select p.revision_id from placement p
    where p.target = ${target} and not exists (select from revision v where v.id = p.revision_id)
      and not exists (select from run r where r.id = p.revision_id and r.ended_at is null)`);

/** With its instances, which are gone from the target. */
export async function removePlacement(tx: Tx, revision_id: string): Promise<void> {
  await tx.run(sql`delete from placement where revision_id = ${revision_id}`);
}

/** Which agents have a revision on which target. */
export const placedAgents = async (db: Reader) =>
  await db.all<{ target: TargetName; agent_id: string }>(sql`select distinct target, agent_id from placement`);
