import { randomUUID } from 'node:crypto';
import { keepConnection } from '../../agents/connections/keep-connection.ts';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TestApp } from '../test-app.ts';

interface Whose {
  email: string;
  /** The name of the MCP server. */
  server: string;
}

/** A connection with a key. At its address nothing answers. */
export async function storeConnection(
  { db, keys }: Pick<TestApp, 'db' | 'keys'>,
  { address = 'http://127.0.0.1:1/mcp', ...whose }: Whose & { address?: string },
): Promise<void> {
  const of = { ...(await idsOf(db, whose)), address, oauth: null, expires_at: null };
  await db.transaction(
    async (tx) =>
      await keepConnection(tx, openEnvelope(keys.envelope), { ...of, tokens: { access: 'a-key-of-a-person' } }),
  );
}

/** An agent of this name waits for the person. Returns the id of the ask. */
export async function storeAsk(
  { db }: Pick<TestApp, 'db'>,
  { agent, word = 'send', ...whose }: Whose & { agent: string; word?: string },
): Promise<string> {
  const { user_id, server_id } = await idsOf(db, whose);
  const id = randomUUID();
  const stored = await db.run(sql`
    insert into connection_ask (id, user_id, server_id, server_version, agent_id, through_ids, through, writes, about, expires_at)
    select ${id}, ${user_id}, ${server_id}, '1.0.0', a.id, array[a.id], array['agents/' || a.name], ${[word]}, ${id},
      clock_now() + interval '1 hour'
    from asset a where a.kind = 'agent' and a.name = ${agent}`);
  if (stored !== 1) throw new Error(`there is no agent ${agent}`);
  return id;
}

async function idsOf(db: TestApp['db'], { email, server }: Whose): Promise<{ user_id: string; server_id: string }> {
  const row = await db.one<{ user_id: string; server_id: string }>(sql`
    select u.id as user_id, s.id as server_id from app_user u, asset s
    where u.email = ${email} and u.removed_at is null and s.kind = 'mcp-server' and s.name = ${server}`);
  if (row === undefined) throw new Error(`there is no user ${email}, or no server ${server}`);
  return row;
}
