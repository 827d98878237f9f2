import type { Deployment } from '@gantry/contract/deploy.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller, UserCaller } from '../access/caller.ts';
import { canRead } from '../access/decide.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import { signedIn } from '../principals/signed-in.ts';
import { findAgent, findAssetsById } from '../registry/find.ts';
import { deploymentRecords } from './deployment.ts';
import * as store from './store.ts';

export interface DeployQuery {
  agent?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** Newest first. */
export async function listDeploys(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  query: DeployQuery,
): Promise<Page<Deployment>> {
  const user = signedIn(caller);
  authorize(user, 'deployment.list', theOrg);
  const scope = ['deployments', user.id, query.agent ?? null];
  const [created_at, run_id] = cursors.read(query.cursor, scope) ?? [];
  const before = created_at === undefined ? undefined : { created_at: String(created_at), run_id: String(run_id) };
  const agent = query.agent === undefined ? undefined : await findAgent(db, query.agent);
  // An agent that is not there has no deploys, as one that the caller may not read.
  if (query.agent !== undefined && agent === undefined) return { items: [] };
  const rows = await readable(db, user, { agent_id: agent?.id, before, limit: query.limit + 1 });
  const records = new Map((await deploymentRecords(db, rows)).map((record) => [record.id, record]));
  const page = cursors.page(
    rows,
    query.limit,
    scope,
    (row) => [row.created_at, row.run_id],
    (row) => records.get(row.run_id),
  );
  return { ...page, items: page.items.filter((record) => record !== undefined) };
}

// Pages of one, asked for by somebody who may read little, must not become a query for every row there is.
const least_batch = 200;

// Who may read an agent is decided, not queried: batches are read until enough of them may be seen.
async function readable(
  db: Database,
  user: UserCaller,
  from: Parameters<typeof store.deployments>[1],
): Promise<store.DeploymentRow[]> {
  const shown: store.DeploymentRow[] = [];
  const limit = Math.max(from.limit, least_batch);
  for (let before = from.before; ;) {
    const rows = await store.deployments(db, { ...from, limit, before });
    const assets = await findAssetsById(db, [...new Set(rows.map(({ agent_id }) => agent_id))]);
    const open = new Set(assets.filter((asset) => canRead(user, asset)).map(({ id }) => id));
    shown.push(...rows.filter(({ agent_id }) => open.has(agent_id)));
    before = rows.at(-1);
    if (rows.length < limit || shown.length >= from.limit || before === undefined) return shown.slice(0, from.limit);
  }
}
