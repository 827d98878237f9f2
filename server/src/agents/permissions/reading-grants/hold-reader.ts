import { Problem } from '@gantry/contract/problems.ts';
import type { GovernedTx } from '../../../governance/access/change.ts';
import type { Grantee } from '../../../governance/access/reading-grants.ts';
import { holdTeam, holdUser, lockGroup } from '../../../people/principals/find.ts';
import { holdServicePrincipal } from '../../../people/service-principals/find.ts';

/**
 * Locks the holder and the team against removal until the transaction ends. A group is locked against new members too: they come before the
 * grant, or are checked against it.
 */
export async function holdReader(
  tx: GovernedTx,
  { principal_type, principal_id }: Grantee,
  team_id: string | null,
): Promise<void> {
  const hold = { user: holdUser, group: lockGroup, principal: holdServicePrincipal }[principal_type];
  const held = await hold(tx, principal_id);
  if (held === undefined || held === false || (team_id !== null && !(await holdTeam(tx, team_id))))
    throw new Problem('invalid', { detail: 'The holder or the team was removed at this moment.' });
}
