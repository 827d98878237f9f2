import { billedParts } from '@gantry/project/asset-config/model.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { authorize, Refusal } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { Config } from '../read-config.ts';

/**
 * The gateway sends the team's secret to the address of a model, believes its counts, and charges its price to the team and the organisation.
 * So only an admin of the team sets them.
 */
export function authorizeBilling(
  user: SignedInCaller,
  team: { id: string; name: string },
  { kind, config }: { kind: AssetKind; config: Config | undefined },
): void {
  const [part] = kind === 'model' && config !== undefined ? billedParts(config) : [];
  if (part === undefined) return;
  try {
    authorize(user, 'model.change', { kind: 'team', id: team.id, name: team.name });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'forbidden') throw error;
    const { code, detail, operation, subject } = error;
    const reason = `Only an admin sets ${part} of a model, because the team and the organisation pay for its calls. ${detail}`;
    throw new Refusal({ code, reason, hint: `Ask an admin of team:${team.name}.` }, operation, subject);
  }
}
