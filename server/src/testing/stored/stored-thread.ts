import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import { threadSpace } from '../../agents/invoke/caller-identity.ts';
import { rows, sealContent } from '../../agents/memory/sealed-content.ts';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import type { TestApp } from '../test-app.ts';
import type { StoredAgent } from './stored-agent.ts';

/** A share of a thread with a user, which ends in a week. Undefined without the thread or the user. Returns its id. */
export async function storeShare(
  { db }: Pick<TestApp, 'db'>,
  { thread_id, reader }: { thread_id: string | undefined; reader: string },
): Promise<string | undefined> {
  if (thread_id === undefined) return undefined;
  const row = await db.one<{ id: string }>(sql`
    insert into thread_share (thread_id, principal_type, principal_id, ends_at)
    select ${thread_id}, 'user', id, clock_now() + interval '7 days' from app_user where email = ${reader} returning id`);
  return row?.id;
}

/** A thread of the user or service principal of this label. Its states have no values. `waits`: for an answer, or for those to these questions. Undefined when there is no such one. Returns its id. */
export async function storeThread(
  { db, keys }: Pick<TestApp, 'db' | 'keys'>,
  { asset_id }: Pick<StoredAgent, 'asset_id'>,
  label: string,
  {
    name = randomUUID(),
    states = 0,
    waits = false,
  }: { name?: string; states?: number; waits?: boolean | object[] } = {},
): Promise<string | undefined> {
  const owner = await db.one<{ id: string }>(sql`select id from identity where label = ${label}`);
  if (owner === undefined) return undefined;
  const space = threadSpace(asset_id, owner);
  const row = await db.one<{ id: string }>(sql`
    insert into thread (agent_id, owner_id, space, name) values (${asset_id}, ${owner.id}, ${space}, ${name}) returning id`);
  for (let n = 0; n < states; n++)
    await db.run(sql`
      insert into thread_state (thread_id, ns, id, versions, source, step, body)
      values (${row?.id}, '', ${`state ${n}`}, '{}', 'loop', ${n}, '\\x00')`);
  if (waits !== false && row !== undefined) {
    const asked = Buffer.from(JSON.stringify(waits === true ? [{ id: '1', value: 'really?' }] : waits));
    const content = { head: { size: asked.length }, parts: [asked] };
    const sealed = await sealContent(openEnvelope(keys.envelope), rows.waits(row.id), content);
    await db.run(sql`
      update thread set waits = ${sealed}, waiting_since = date_trunc('milliseconds', clock_now()) where id = ${row.id}`);
  }
  return row?.id;
}
