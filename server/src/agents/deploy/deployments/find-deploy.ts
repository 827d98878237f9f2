import { Problem } from '@gantry/contract/problems.ts';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { agentCost } from '../../../models/ledger/agent-cost.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { findAssetById, type AssetRecord } from '../../../assets/registry/find.ts';
import { deploymentRecords } from './deployment.ts';
import * as store from '../store.ts';

export interface FoundDeploy {
  row: store.DeploymentRow;
  asset: AssetRecord;
  user: SignedInCaller;
}

/** For callers who may read the agent. Others get 404. */
export async function findDeploy(db: Database, caller: Caller, id: string): Promise<FoundDeploy> {
  const user = signedIn(caller);
  const row = await store.deployment(db, id);
  const asset = row && (await findAssetById(db, row.agent_id, user));
  if (row === undefined || asset === undefined) throw new Problem('not_found');
  authorize(user, 'deployment.read', asset);
  return { row, asset, user };
}

export async function showDeploy(db: Database, caller: Caller, id: string): Promise<Deployment> {
  const { row, asset, user } = await findDeploy(db, caller, id);
  const [record] = await deploymentRecords(db, [row]);
  if (record === undefined) throw new Error(`deploy ${id} has no run`);
  return { ...record, cost: await agentCost(db, user, asset) };
}
