// Whose an asset becomes, and that agent.yaml says what the record says.
import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { SignedInCaller } from '../../access/caller.ts';
import { effectiveRole } from '../../access/decide.ts';
import type { TeamSubject } from '../../access/subject.ts';
import type { Reader } from '../../database/database.ts';
import { findUser, isInTeam } from '../../principals/find.ts';
import type { AssetRecord } from '../assets/asset.ts';

/**
 * The owner of a new asset: the caller, or an active member of the team whom an admin of the team or a service principal names. A service
 * principal owns nothing, so it must name somebody.
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
        detail: `\`owner\` is ${owner}, and only an admin of team:${team.name} may make something for someone else. You are ${caller.email}.`,
        hint: 'Leave `owner` out, or write your own address.',
      });
  } else if (owner === undefined)
    throw new Problem('owner_mismatch', {
      detail: `${caller.label} owns nothing, and nothing says who does.`,
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

export function requireSameOwner(asset: AssetRecord, config: AgentConfig): void {
  if (config.team !== asset.team.name) {
    throw new Problem('owner_mismatch', {
      detail: `\`team\` in agent.yaml is ${config.team}; ${asset.ref} belongs to team:${asset.team.name}.`,
      hint: transferHint(asset, { team: config.team }),
    });
  }
  if (config.owner !== undefined && config.owner !== asset.owner) {
    throw new Problem('owner_mismatch', {
      detail: `\`owner\` in agent.yaml is ${config.owner}; ${asset.ref} belongs to ${asset.owner}.`,
      hint: transferHint(asset, { owner: config.owner }),
    });
  }
}

function transferHint({ name, team, owner }: AssetRecord, to: { team?: string; owner?: string }): string {
  const flags = [
    ...(to.team === undefined ? [] : [`--team ${to.team}`]),
    ...(to.owner === undefined ? [] : [`--owner ${to.owner}`]),
  ];
  return `Write team: ${team.name} and owner: ${owner}, or change the record: svc registry agent transfer ${name} ${flags.join(' ')}`;
}
