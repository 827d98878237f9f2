import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import { sealArguments } from '../../agents/tools/approvals/arguments.ts';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import type { TestApp } from '../test-app.ts';

interface StoredCall {
  /** The name of the agent that makes the call. */
  agent: string;
  /** The name of its MCP server. */
  server: string;
  /** In its arguments. */
  word?: string;
  /** The id of the end caller. */
  caller_id?: string;
}

/** A call of a tool that waits for a person. Returns its id. */
export async function storeCall(
  { db, keys }: Pick<TestApp, 'db' | 'keys'>,
  { agent, server, word = 'word', caller_id = randomUUID() }: StoredCall,
): Promise<string> {
  const id = randomUUID();
  const sealed = await sealArguments(openEnvelope(keys.envelope), id, { word });
  const stored = await db.run(sql`
    insert into tool_approval (id, agent_id, revision_id, caller_id, caller, through, server_id, server_version, tool, arguments_digest, policy_digest,
      arguments, wanted_by, by_other, note, expires_at)
    select ${id}, a.id, gen_random_uuid(), ${caller_id}, 'somebody', '{}', s.id, '1.0.0', 'transfer', 'sha256:0', 'sha256:0', ${sealed}, '{}', false,
      ${word}, clock_now() + interval '1 hour'
    from asset a, asset s where a.kind = 'agent' and a.name = ${agent} and s.kind = 'mcp-server' and s.name = ${server}`);
  if (stored !== 1) throw new Error(`there is no agent ${agent}, or no server ${server}`);
  return id;
}
