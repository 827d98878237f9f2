import type { Pin } from '../../assets/registry/content.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TestApp, TestUser } from '../test-app.ts';

/** Asks this MCP server for its tools and pins them. Returns what the push of an agent would have stored of it. */
export async function pinServer(
  { db }: Pick<TestApp, 'db'>,
  { client }: Pick<TestUser, 'client'>,
  name: string,
): Promise<Pin> {
  const { seen } = await client.call('tools.look', { params: { name } });
  const digest = seen?.digest ?? '';
  await client.call('tools.pin', { params: { name }, body: { digest } });
  const row = await db.one<{ asset_id: string; version: string; digest: string }>(sql`
    select v.asset_id, v.version, v.digest from version v join asset a on a.id = v.asset_id where a.name = ${name}`);
  if (row === undefined) throw new Error(`there is no ${name}`);
  return { ref: `mcp-servers/${name}`, ...row, tools: digest };
}
