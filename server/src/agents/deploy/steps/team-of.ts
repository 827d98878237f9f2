import type { AssetSubject } from '../../../governance/access/subject.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import type { DeployRun } from '../deploy-run.ts';
import type { DeployParts } from '../parts.ts';

/** The team of the agent today. */
export async function teamOf({ db }: Pick<DeployParts, 'db'>, { input }: DeployRun): Promise<AssetSubject['team']> {
  const asset = await findAssetById(db, input.agent_id, null);
  if (asset === undefined) throw new Problem('not_found', { detail: `agents/${input.agent} no longer exists.` });
  return asset.team;
}
