import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import { threadSpace } from '../../agents/invoke/caller-identity.ts';
import type { TestApp } from '../test-app.ts';
import type { StoredAgent } from './stored-agent.ts';

/** A thread without states of the user or service principal of this label. Undefined when there is no such one. Returns its id. */
export async function storeThread(
  { db }: Pick<TestApp, 'db'>,
  { asset_id }: Pick<StoredAgent, 'asset_id'>,
  label: string,
): Promise<string | undefined> {
  const owner = await db.one<{ id: string }>(sql`select id from identity where label = ${label}`);
  if (owner === undefined) return undefined;
  const space = threadSpace(asset_id, owner);
  const row = await db.one<{ id: string }>(sql`
    insert into thread (agent_id, owner_id, space, name) values (${asset_id}, ${owner.id}, ${space}, ${randomUUID()}) returning id`);
  return row?.id;
}
