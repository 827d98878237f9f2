import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { findAgent } from '../../../assets/registry/find.ts';
import { isListed } from '../../../assets/registry/policy.ts';
import { readableRows } from '../../../assets/registry/assets/readable-rows.ts';
import { deploymentRecords } from './deployment.ts';
import { failedDeployments } from '../state-store.ts';
import * as store from '../store.ts';

export interface DeployQuery {
  agent?: string | undefined;
  /** The beginning of the id. */
  id?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** The newest deploys come first. */
export async function listDeploys(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  query: DeployQuery,
): Promise<Page<Deployment>> {
  const user = signedIn(caller);
  authorize(user, 'deployment.list', theOrg);
  const scope = ['deployments', user.id, query.agent ?? null, query.id ?? null];
  const [created_at, run_id] = cursors.read(query.cursor, scope) ?? [];
  const before = created_at === undefined ? undefined : { created_at: String(created_at), run_id: String(run_id) };
  const agent = query.agent === undefined ? undefined : await findAgent(db, query.agent, user);
  // The list is empty for a missing agent and for an agent that the caller may not read.
  if (query.agent !== undefined && agent === undefined) return { items: [] };
  const { rows } = await readableRows(db, user, {
    after: before,
    limit: query.limit + 1,
    batch: async (after, limit) =>
      await store.deployments(db, { agent_id: agent?.id, begins_with: query.id, before: after, limit }),
    assetOf: (row) => row.agent_id,
  });
  const records = new Map((await deploymentRecords(db, rows)).map((record) => [record.id, record]));
  return cursors.page(
    rows,
    query.limit,
    scope,
    (row) => [row.created_at, row.run_id],
    (row) => records.get(row.run_id),
  );
}

export { activeDeploys, type ActiveDeploy } from '../state-store.ts';

/** The failed ones of the last days that no later one replaced, of the agents in the caller's list. */
export async function listFailedDeploys(
  db: Reader,
  user: SignedInCaller,
  { days, team_id, limit }: { days: number; team_id?: string | undefined; limit: number },
): Promise<Deployment[]> {
  const { rows } = await readableRows<Pick<store.DeploymentRow, 'created_at' | 'run_id'>, store.DeploymentRow>(
    db,
    user,
    {
      after: undefined,
      limit,
      batch: async (before, batch) => await failedDeployments(db, { days, before, limit: batch }),
      assetOf: (row) => row.agent_id,
      wants: (agent) => isListed(user, agent) && (team_id === undefined || agent.team.id === team_id),
    },
  );
  return await deploymentRecords(db, rows);
}
