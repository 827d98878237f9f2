import { Problem } from '@gantry/contract/problems.ts';
import type { Role } from '@gantry/contract/roles.ts';
import type { GovernedTx } from '../access/change.ts';
import * as store from './store.ts';

/**
 * To be asked after the change, in its transaction. Throws `last_admin` where it took away the last active platform admin, or, where
 * admins need an approval themselves, the last but one: nobody could give the other theirs.
 */
export async function refuseTooFewAdmins(tx: GovernedTx, before: { role: Role; active: boolean }): Promise<void> {
  if (before.role !== 'admin' || !before.active) return;
  const admins = await store.countAdmins(tx);
  if (admins === 0) throw new Problem('last_admin', { detail: 'They are the last platform admin.' });
  const { require_approval_for_admins } = await store.settings(tx);
  if (admins === 1 && require_approval_for_admins)
    throw new Problem('last_admin', {
      detail:
        'One platform admin would be left, and with require_approval_for_admins nobody could approve what they ask for.',
      hint: 'Make somebody else an admin first: svc user update <e-mail> --role admin',
    });
}
