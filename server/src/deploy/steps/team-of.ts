import type { AssetSubject } from '../../access/subject.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { findAssetById } from '../../registry/find.ts';
import type { DeployRun } from '../deploy-run.ts';
import type { DeployParts } from '../parts.ts';

/** Of the agent today. */
export async function teamOf({ db }: Pick<DeployParts, 'db'>, { input }: DeployRun): Promise<AssetSubject['team']> {
  const asset = await findAssetById(db, input.agent_id, null);
  if (asset === undefined) throw new Problem('not_found', { detail: `agents/${input.agent} no longer exists.` });
  return asset.team;
}
