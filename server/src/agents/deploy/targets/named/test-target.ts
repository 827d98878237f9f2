import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import { authorize } from '../../../../governance/access/authorize.ts';
import type { Caller } from '../../../../governance/access/caller.ts';
import { change } from '../../../../governance/access/change.ts';
import { theOrg } from '../../../../governance/access/subject.ts';
import { signedIn } from '../../../../people/principals/signed-in.ts';
import { findAsset } from '../../../../assets/registry/find.ts';
import type { DeployParts } from '../../parts.ts';

/** On the record, because the service uses the credential of the target. */
export async function testTarget(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  caller: Caller,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<TargetFinding[]> {
  const user = signedIn(caller);
  const grant = authorize(user, 'target.change', theOrg);
  const asset = await findAsset(db, 'target', name, caller);
  if (asset === undefined && !(await targets.names()).includes(name)) throw new Problem('not_found');
  const findings = await targets.test(name, signal);
  await change(db, grant, 'target.tested', async (_, note) => {
    const fails = findings.filter(({ works }) => !works).map(({ part }) => part);
    note({ target: name, fails }, asset === undefined ? {} : { asset: asset.ref });
  });
  return findings;
}
