// ACL entries are about principals of every kind. This is the lowest folder with access to all kinds.
import { entryWriter } from '../../access/entry-writer.ts';
import type { EntryPrincipal } from '../../access/acl.ts';
import type { GovernedTx } from '../../access/change.ts';
import { holdGroup, holdTeam, holdUser } from '../../principals/find.ts';
import { holdServicePrincipal } from '../../service-principals/find.ts';
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
