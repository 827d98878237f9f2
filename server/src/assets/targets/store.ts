import type { TargetKind } from '@gantry/contract/assets/targets.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { nothing, sql } from '../../ground/database/sql.ts';

export interface TargetRow {
  id: string;
  name: string;
  /** Valid for `target` of project/asset-config when it was stored. */
  config: { kind: TargetKind } & Record<string, unknown>;
  digest: string;
  /** The credential, sealed for this row. */
  sealed: Buffer | null;
  set_by: string | null;
  set_at: string | null;
}

/** By name. */
export async function targets(db: Reader, name?: string): Promise<TargetRow[]> {
  return await db.all<TargetRow>(sql`
    select a.id, a.name, c.config, target_digest(a.name) as digest, s.sealed, s.set_by, s.set_at
    from asset a
    cross join lateral (select v.digest from version v where v.asset_id = a.id order by string_to_array(v.version, '.')::int[] desc limit 1) v
    join content c on c.digest = v.digest left join target_credential s on s.asset_id = a.id
    where a.kind = 'target' ${name === undefined ? nothing : sql`and a.name = ${name}`} order by a.name`);
}

/** A new credential has another digest, even with the same text. */
export async function putCredential(
  tx: GovernedTx,
  { asset_id, sealed, by }: { asset_id: string; sealed: Buffer; by: string },
): Promise<void> {
  await tx.write(
    'target_credential',
    sql`insert into target_credential (asset_id, sealed, set_by) values (${asset_id}, ${sealed}, ${by})
        on conflict (asset_id) do update set sealed = excluded.sealed, id = gen_random_uuid(), set_by = excluded.set_by, set_at = clock_now()
        returning id`,
  );
}

export async function removeCredential(tx: GovernedTx, asset_id: string): Promise<void> {
  await tx.write('target_credential', sql`delete from target_credential where asset_id = ${asset_id} returning id`);
}

/** It is not deleted until the transaction ends. */
export async function holdTarget(tx: Tx, name: string): Promise<void> {
  await tx.run(sql`select from asset where kind = 'target' and name = ${name} for key share`);
}
