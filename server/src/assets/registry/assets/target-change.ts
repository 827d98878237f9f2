import type { AssetKind } from '@gantry/contract/roles.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';

/** Images and secrets of agents go to the address of a target. So only a person who administers the platform sets it. */
export function authorizeTargetChange(user: SignedInCaller, kind: AssetKind): void {
  if (kind === 'target') authorize(user, 'target.change', theOrg);
}
