import type { Artefact } from '@gantry/contract/agents/deployment-files.ts';
import { createHash } from 'node:crypto';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TargetFile } from './targets/target.ts';

export async function insertArtefacts(tx: Tx, revision_id: string, files: readonly TargetFile[]): Promise<void> {
  for (const { file, content } of files) {
    const sha256 = createHash('sha256').update(content).digest('hex');
    await tx.all(
      sql`insert into artefact (revision_id, name, sha256, content) values (${revision_id}, ${file}, ${sha256}, ${content})`,
    );
  }
}

/** The packages of an image are those of the earlier revision with it. */
export async function copyArtefact(tx: Tx, of: { from: string; to: string; name: string }): Promise<void> {
  await tx.all(sql`
    insert into artefact (revision_id, name, sha256, content)
      select ${of.to}, name, sha256, content from artefact where revision_id = ${of.from} and name = ${of.name}`);
}

export async function artefacts(db: Reader, revision_id: string): Promise<Artefact[]> {
  return await db.all<Artefact>(
    sql`select name, sha256, content from artefact where revision_id = ${revision_id} order by name`,
  );
}
