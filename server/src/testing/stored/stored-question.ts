import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import { seal } from '../../agents/tools/questions/sealed.ts';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import type { TestApp } from '../test-app.ts';

interface StoredQuestion {
  /** Of the end caller. */
  email: string;
  /** The name of the agent that makes the call. */
  agent: string;
  /** The name of its MCP server. */
  server: string;
  /** In its texts, and in clear. */
  word?: string;
}

/** A question of a server that waits for a person. Returns its id. */
export async function storeQuestion(
  { db, keys }: Pick<TestApp, 'db' | 'keys'>,
  { email, agent, server, word = 'word' }: StoredQuestion,
): Promise<string> {
  const id = randomUUID();
  const question = { message: word, fields: [], arguments: { word } };
  const sealed = await seal(openEnvelope(keys.envelope), { id, what: 'question' }, question);
  const stored = await db.run(sql`
    insert into tool_question (id, agent_id, revision_id, caller_id, caller, through, server_id, server_version, tool, arguments_digest,
      question_digest, question, expires_at)
    select ${id}, a.id, gen_random_uuid(), u.id, u.email, ${[word]}, s.id, '1.0.0', 'order', 'sha256:0', 'sha256:0', ${sealed},
      clock_now() + interval '1 hour'
    from asset a, asset s, app_user u
    where a.kind = 'agent' and a.name = ${agent} and s.kind = 'mcp-server' and s.name = ${server} and u.email = ${email}`);
  if (stored !== 1) throw new Error(`there is no agent ${agent}, no server ${server}, or no user ${email}`);
  return id;
}
