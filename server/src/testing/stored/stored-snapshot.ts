import { createHash, randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import type { TestApp } from '../test-app.ts';

interface Stored {
  /** The name of the base. */
  base: string;
  /** The only document, open to all, without chunks. */
  text?: string;
}

/** Snapshot 1 of a base, which serves. Returns the id of its document. */
export async function storeSnapshot(
  { db, governed }: Pick<TestApp, 'db' | 'governed'>,
  { base, text = 'a word' }: Stored,
): Promise<string> {
  const [snapshot, document] = [randomUUID(), randomUUID()];
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const of_base = sql`from asset where kind = 'knowledge-base' and name = ${base}`;
  await db.run(sql`insert into knowledge_blob (base_id, sha256, bytes) select id, ${hash}, ${bytes} ${of_base}`);
  await db.run(sql`
    insert into knowledge_document (id, base_id, path, title, media_type, source_sha256, source_bytes, text_sha256, text_bytes, reader)
    select ${document}, id, 'page', 'Page', 'text/plain', ${hash}, ${bytes.length}, ${hash}, ${bytes.length}, 1 ${of_base}`);
  const made = await db.run(sql`
    insert into knowledge_snapshot (id, base_id, number, version, config, digest, added, changed, removed, made_by)
    select ${snapshot}, a.id, 1, v.version, v.digest, 'sha256:0', 1, 0, 0, 'nobody'
    from asset a join version v on v.asset_id = a.id where a.kind = 'knowledge-base' and a.name = ${base}`);
  if (made !== 1) throw new Error(`there is no knowledge base ${base}`);
  await db.run(
    sql`insert into knowledge_snapshot_document (snapshot_id, document_id) values (${snapshot}, ${document})`,
  );
  await governed(
    sql`insert into knowledge_serving (base_id, snapshot_id) select id, ${snapshot} ${of_base} returning id`,
  );
  return document;
}
