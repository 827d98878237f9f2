// Calls of agents as the ingress stores them, for tests of permissions.
import { sql } from '../../ground/database/sql.ts';
import { makeSpan, storeSpans } from './make-span.ts';
import type { StoredAgent } from './stored-agent.ts';
import type { TestApp } from '../test-app.ts';

type Called = Pick<StoredAgent, 'asset_id'>;

/** An ended call of the identity with this label. Returns its id. */
export async function storeRun({ db }: TestApp, agent: Called, label: string): Promise<string | undefined> {
  const row = await db.one<{ id: string }>(sql`
    insert into invocation (id, agent_id, revision_id, caller_id, state, status, content_type, body)
    select gen_random_uuid(), ${agent.asset_id}, gen_random_uuid(), id, 'ended', 200, 'application/json', '{}' from identity where label = ${label}
    returning id`);
  return row?.id;
}

/** A task that works, followed by another ingress, or one that waits for its caller. Returns its id. */
export async function storeTask(
  { db }: TestApp,
  agent: Called,
  label: string,
  waits: boolean,
): Promise<string | undefined> {
  const [state, outcome] = waits ? ['ended', 'interrupted'] : ['running', null];
  const row = await db.one<{ task_id: string }>(sql`
    insert into invocation (id, agent_id, revision_id, caller_id, state, task_id, turn, context_id, outcome, owner, lease_until)
    select gen_random_uuid(), ${agent.asset_id}, gen_random_uuid(), id, ${state}, gen_random_uuid(), 1, 'context', ${outcome}, 'another', 'infinity'
    from identity where label = ${label} returning task_id`);
  return row?.task_id;
}

export async function traceOf({ db }: TestApp, { asset_id }: Called): Promise<string> {
  const span = makeSpan({ agent_id: asset_id });
  await storeSpans(db, [span]);
  return span.trace_id;
}

export const a2aRequest = {
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { name: 'Ada' } }] } },
};
