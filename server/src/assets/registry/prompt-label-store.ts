// The moves of the labels of prompts. The newest move of a label says which version it means.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface LabelMove {
  label: string;
  number: number;
  version_id: string;
  version: string;
  digest: string;
  approval_id: string | null;
  moved_by: string;
  moved_at: string;
}

/** With the version before it. */
export interface PastMove extends LabelMove {
  from_version: string | null;
}

const columns = sql`m.label, m.number, m.version_id, v.version, v.digest, m.approval_id, m.moved_by, m.moved_at`;
const tables = sql`prompt_label_move m join version v on v.id = m.version_id`;

export const labelNow = async (db: Reader, { asset_id, label }: { asset_id: string; label: string }) =>
  await db.one<LabelMove>(sql`
    select ${columns} from ${tables} where m.asset_id = ${asset_id} and m.label = ${label} order by m.number desc limit 1`);

export const moveOf = async (
  db: Reader,
  { asset_id, label, number }: { asset_id: string; label: string; number: number },
) =>
  await db.one<LabelMove>(sql`
    select ${columns} from ${tables} where m.asset_id = ${asset_id} and m.label = ${label} and m.number = ${number}`);

/** In the order of their names. */
export const labelsOf = async (db: Reader, asset_id: string) =>
  await db.all<LabelMove>(sql`
    select distinct on (m.label) ${columns} from ${tables} where m.asset_id = ${asset_id} order by m.label, m.number desc`);

interface Listing {
  asset_id: string;
  label: string | undefined;
  after: { moved_at: string; label: string } | undefined;
  limit: number;
}

/** The newest first. */
export const movesOf = async (db: Reader, { asset_id, label, after, limit }: Listing) =>
  await db.all<PastMove>(sql`
    select ${columns}, (
      select w.version from prompt_label_move b join version w on w.id = b.version_id
      where b.asset_id = m.asset_id and b.label = m.label and b.number = m.number - 1) as from_version
    from ${tables} where m.asset_id = ${asset_id} and (${label ?? null}::text is null or m.label = ${label ?? null})
      and (${after?.moved_at ?? null}::timestamptz is null
        or (m.moved_at, m.label) < (${after?.moved_at ?? null}::timestamptz, ${after?.label ?? null}))
    order by m.moved_at desc, m.label desc limit ${limit}`);

export async function insertMove(
  tx: GovernedTx,
  move: Pick<LabelMove, 'label' | 'number' | 'version_id' | 'approval_id' | 'moved_by'> & { asset_id: string },
): Promise<void> {
  await tx.write(
    'prompt_label_move',
    sql`
    insert into prompt_label_move (asset_id, label, number, version_id, approval_id, moved_by)
    values (${move.asset_id}, ${move.label}, ${move.number}, ${move.version_id}, ${move.approval_id}, ${move.moved_by}) returning id`,
  );
}
