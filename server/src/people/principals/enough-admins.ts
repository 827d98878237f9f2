// There is always a platform admin. With require_approval_for_admins an admin's own request needs other admins. Must never happen: too few
// admins remain to approve any request.
import { Problem } from '@gantry/contract/problems.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { isAdminOf } from './policy.ts';
import * as store from './store.ts';

/**
 * Checks after the loss of an admin, in the same transaction. `team_id` is set if they were only an admin of that team. The lock puts two
 * simultaneous losses in sequence.
 */
export async function refuseTooFewAdmins(tx: GovernedTx, team_id?: string): Promise<void> {
  await store.holdSettings(tx);
  if (team_id === undefined && (await countDeciders(tx, undefined)) === 0)
    throw new Problem('last_admin', { detail: 'They are the last platform admin.' });
  const left = await tooFew(tx, await store.settings(tx), team_id);
  if (left === undefined) return;
  throw new Problem('last_admin', {
    detail: `After this change ${left.sentence}`,
    hint: 'Make somebody else an admin first, or set require_approval_for_admins to false.',
  });
}

/** A warning if the settings need more admins than there are. */
export async function warnOfTooFewAdmins(db: Reader): Promise<string | undefined> {
  const few = await tooFew(db, await store.settings(db), undefined);
  return (
    few &&
    `Now ${few.sentence} Make somebody else an admin: svc user update <e-mail> --role admin. Or undo it: svc org set require_approval_for_admins false`
  );
}

async function tooFew(
  db: Reader,
  { require_approval_for_admins, approvals_required }: store.Settings,
  team_id: string | undefined,
): Promise<{ sentence: string } | undefined> {
  if (!require_approval_for_admins) return undefined;
  // Nobody approves their own request.
  const needed = approvals_required + 1;
  const there = await countDeciders(db, team_id);
  if (there >= needed) return undefined;
  const sentence = `there ${there === 1 ? 'is one admin' : `are ${there} admins`}, and require_approval_for_admins needs ${needed}: an admin's own request needs ${approvals_required === 1 ? 'one other admin' : `${approvals_required} other admins`}.`;
  return { sentence };
}

/** The number of admins who can decide for a team, or for the whole platform. */
async function countDeciders(db: Reader, team_id: string | undefined): Promise<number> {
  const candidates = await store.admins(db, team_id === undefined ? [] : [team_id]);
  return candidates.filter((person) => isAdminOf(person, team_id)).length;
}
