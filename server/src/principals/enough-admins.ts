// There is always a platform admin. With require_approval_for_admins an admin's own work waits for other admins. Must never happen: that so
// few are left that nobody can approve it, and the setting cannot be got rid of either, because doing so through a deploy waits too.
import { Problem } from '@gantry/contract/problems.ts';
import type { GovernedTx } from '../access/change.ts';
import type { Reader } from '../database/database.ts';
import { isAdminOf } from './policy.ts';
import * as store from './store.ts';

/**
 * For whoever takes the role `admin` from somebody, disables or removes them: called in the same transaction, after it was written. The team
 * is named where they were an admin of a team only. Two who do so at once are counted one after the other.
 */
export async function refuseTooFewAdmins(tx: GovernedTx, team_id?: string): Promise<void> {
  await store.holdSettings(tx);
  if (team_id === undefined && (await countDeciders(tx, undefined)) === 0)
    throw new Problem('last_admin', { detail: 'They are the last platform admin.' });
  const left = await tooFew(tx, await store.settings(tx), team_id);
  if (left === undefined) return;
  throw new Problem('last_admin', {
    detail: `Then ${left.sentence}`,
    hint: 'Make somebody else an admin first, or turn require_approval_for_admins off.',
  });
}

/** What to warn of when these settings come into effect; undefined when there are admins enough. */
export async function warnOfTooFewAdmins(db: Reader): Promise<string | undefined> {
  const few = await tooFew(db, await store.settings(db), undefined);
  return (
    few &&
    `Now ${few.sentence} Make somebody else an admin: svc user update <e-mail> --role admin. Or take it back: svc org set require_approval_for_admins false`
  );
}

async function tooFew(
  db: Reader,
  { require_approval_for_admins, approvals_required }: store.Settings,
  team_id: string | undefined,
): Promise<{ sentence: string } | undefined> {
  if (!require_approval_for_admins) return undefined;
  // Nobody approves their own.
  const needed = approvals_required + 1;
  const there = await countDeciders(db, team_id);
  if (there >= needed) return undefined;
  const sentence = `${there === 1 ? 'one admin is' : `${there} admins are`} there, and an admin's own request needs ${needed}: require_approval_for_admins is on, and ${approvals_required === 1 ? 'one other approves' : `${approvals_required} others approve`}.`;
  return { sentence };
}

/** How many can decide: for a team, or the whole platform. */
async function countDeciders(db: Reader, team_id: string | undefined): Promise<number> {
  const candidates = await store.admins(db, team_id === undefined ? [] : [team_id]);
  return candidates.filter((person) => isAdminOf(person, team_id)).length;
}
