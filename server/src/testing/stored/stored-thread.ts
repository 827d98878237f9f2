import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import { threadSpace } from '../../agents/invoke/caller-identity.ts';
import type { TestApp } from '../test-app.ts';
import type { StoredAgent } from './stored-agent.ts';

/** A thread of the user or service principal of this label. Its states have no values. Undefined when there is no such one. Returns its id. */
export async function storeThread(
  { db }: Pick<TestApp, 'db'>,
  { asset_id }: Pick<StoredAgent, 'asset_id'>,
  label: string,
  { name = randomUUID(), states = 0 }: { name?: string; states?: number } = {},
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
  return row?.id;
}
