// The owner of a new asset, and the check of agent.yaml or orchestration.yaml against the record.
import { Problem } from '@gantry/contract/problems.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { effectiveRole } from '../../../governance/access/decide.ts';
import type { TeamSubject } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findUser, isInTeam } from '../../../people/principals/find.ts';
import type { AssetRecord } from '../asset.ts';

/**
 * The owner of a new asset: the caller, or an active member of the team. Only an admin of the team or a service principal may name
 * another member. A service principal cannot own an asset, so it must name one.
 */
export async function ownerOfNew(
  db: Reader,
  caller: SignedInCaller,
  team: TeamSubject,
  owner: string | undefined,
): Promise<string> {
  if (caller.kind === 'user') {
    if (owner === undefined || owner === caller.email) return caller.id;
    if (effectiveRole(caller, team.id) !== 'admin')
      throw new Problem('owner_mismatch', {
        detail: `\`owner\` is ${owner}, and only an admin of team:${team.name} may create an asset for another user. You are ${caller.email}.`,
        hint: 'Leave `owner` out, or write your own address.',
      });
  } else if (owner === undefined)
    throw new Problem('owner_mismatch', {
      detail: `${caller.label} cannot own an asset, and no owner is named.`,
      hint: `Name a member of team:${team.name}: \`owner: <e-mail>\` in agent.yaml, or --owner <e-mail>.`,
    });
  const user = await findUser(db, owner);
  if (user?.active !== true || !(await isInTeam(db, team.id, user.id))) {
    throw new Problem('owner_mismatch', {
      detail: `\`owner\` is ${owner}, who is not an active member of team:${team.name}.`,
      hint: `Add them first: svc team add ${team.name} user:${owner}`,
    });
  }
  return user.id;
}

export function requireSameOwner(asset: AssetRecord, config: { team: string; owner?: string | undefined }): void {
  const file = `${asset.asset_kind}.yaml`;
  if (config.team !== asset.team.name) {
    throw new Problem('owner_mismatch', {
      detail: `\`team\` in ${file} is ${config.team}; ${asset.ref} belongs to team:${asset.team.name}.`,
      hint: transferHint(asset, { team: config.team }),
    });
  }
  if (config.owner !== undefined && config.owner !== asset.owner) {
    throw new Problem('owner_mismatch', {
      detail: `\`owner\` in ${file} is ${config.owner}; ${asset.ref} belongs to ${asset.owner}.`,
      hint: transferHint(asset, { owner: config.owner }),
    });
  }
}

function transferHint({ asset_kind, name, team, owner }: AssetRecord, to: { team?: string; owner?: string }): string {
  const flags = [
    ...(to.team === undefined ? [] : [`--team ${to.team}`]),
    ...(to.owner === undefined ? [] : [`--owner ${to.owner}`]),
  ];
  return `Write team: ${team.name} and owner: ${owner}, or change the record: svc registry ${asset_kind} transfer ${name} ${flags.join(' ')}`;
}
