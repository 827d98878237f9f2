import { assetActions, type AssetDetail } from '@gantry/contract/assets/registry.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { can, passes } from '../../../governance/access/can.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { AssetRecord } from '../find.ts';
import { refuseWhileInUse } from '../references/in-use.ts';
import type { DetailParts } from './records.ts';

const only_agents: readonly string[] = ['agents.push', 'secrets.remove', 'secrets.set'];
const never_agents: readonly string[] = ['registry.delete', 'registry.edit', 'skills.push'];
const never_skills: readonly string[] = [...only_agents, 'registry.edit'];
const never_others: readonly string[] = [...only_agents, 'skills.push'];

/** For an agent it reads nothing, because an agent is read often. */
export async function canUseAsset(
  db: Reader,
  caller: Caller,
  asset: AssetRecord,
  { submit }: Pick<DetailParts, 'submit'>,
): Promise<AssetDetail['can']> {
  const isAgent = asset.asset_kind === 'agent';
  const others = isAgent ? never_agents : asset.asset_kind === 'skill' ? never_skills : never_others;
  const names = assetActions.filter((name) => !others.includes(name));
  const decided = can(caller, asset, names);
  const remove = async () => {
    authorize(caller, 'asset.delete', asset);
    await refuseWhileInUse(db, caller, asset);
  };
  return {
    ...decided,
    'approvals.submit': decided['approvals.submit'].allowed ? submit : decided['approvals.submit'],
    ...(isAgent ? {} : { 'registry.delete': await passes(remove) }),
  };
}
