import type { Page } from '@gantry/contract/endpoint.ts';
import type { AgentRun } from '@gantry/contract/models/traces.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { decide } from '../../governance/access/decide.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import * as store from './figures-store.ts';

export interface RunsQuery {
  name: string;
  limit: number;
  cursor?: string | undefined;
}

/** The newest first: the caller's own, and all for admins of the agent. */
export async function listRuns(
  { db, cursors }: { db: Database; cursors: Cursors },
  caller: Caller,
  { name, limit, cursor }: RunsQuery,
): Promise<Page<AgentRun>> {
  const user = signedIn(caller);
  const agent = await loadAsset(db, { kind: 'agent', name }, user);
  authorize(user, 'asset.read', agent);
  const scope = ['runs', agent.id, user.id];
  const [started_at, id] = cursors.read(cursor, scope) ?? [];
  const rows = await store.runs(db, {
    agent_id: agent.id,
    caller_id: decide(user, 'trace.read_content', agent).allowed ? undefined : user.id,
    before: started_at === undefined ? undefined : { started_at: String(started_at), id: String(id) },
    limit: limit + 1,
  });
  return cursors.page(rows, limit, scope, (row) => [row.started_at, row.id], toRecord);
}

function toRecord({ id, agent_id: _, error, ...row }: Awaited<ReturnType<typeof store.runs>>[number]): AgentRun {
  return { ...row, run_id: id, error, status: error === null ? 'ok' : 'error' };
}
