import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFile } from '@gantry/contract/assets/targets.ts';
import { authorize } from '../../../../governance/access/authorize.ts';
import type { Caller } from '../../../../governance/access/caller.ts';
import { theOrg } from '../../../../governance/access/subject.ts';
import { signedIn } from '../../../../people/principals/signed-in.ts';
import { findAsset } from '../../../../assets/registry/find.ts';
import type { DeployParts } from '../../parts.ts';

/** For those who may test the target. It asks nobody, so it is not on the record. */
export async function showPolicy(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  caller: Caller,
  name: string,
): Promise<TargetFile[]> {
  authorize(signedIn(caller), 'target.change', theOrg);
  const asset = await findAsset(db, 'target', name, caller);
  if (asset === undefined && !(await targets.names()).includes(name)) throw new Problem('not_found');
  return await targets.policy(name);
}
