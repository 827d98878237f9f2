import { secretsOfModel } from '@gantry/contract/asset-config/model.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { authorize } from '../../access/authorize.ts';
import type { SignedInCaller } from '../../access/caller.ts';
import type { Config } from '../read-config.ts';

/** The gateway sends the team's secret to the address of the config. Others than admins could name an address of their own. */
export function authorizeCredential(
  user: SignedInCaller,
  team: { id: string; name: string },
  { kind, config }: { kind: AssetKind; config: Config | undefined },
): void {
  if (kind === 'model' && config !== undefined && secretsOfModel(config).length > 0)
    authorize(user, 'model.change', { kind: 'team', id: team.id, name: team.name });
}
