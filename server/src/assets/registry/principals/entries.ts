// ACL entries are about principals of every kind. This is the lowest folder with access to all kinds.
import { entryWriter } from '../../../governance/access/entry-writer.ts';
import type { EntryPrincipal } from '../../../governance/access/acl.ts';
import type { GovernedTx } from '../../../governance/access/change.ts';
import { holdGroup, holdTeam, holdUser } from '../../../people/principals/find.ts';
import { holdServicePrincipal } from '../../../people/service-principals/find.ts';
import * as store from '../store.ts';

export const { writeEntries, setActions, giveActions, takeActions } = entryWriter(holdPrincipal);

async function holdPrincipal(tx: GovernedTx, { principal_type, principal_id }: EntryPrincipal): Promise<boolean> {
  if (principal_type === 'org' || principal_id === null) return principal_type === 'org';
  const hold = {
    team: holdTeam,
    user: holdUser,
    group: holdGroup,
    principal: holdServicePrincipal,
    agent: store.holdAsset,
    orchestration: store.holdAsset,
  };
  return await hold[principal_type](tx, principal_id);
}
