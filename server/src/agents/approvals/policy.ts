// The rules for readers and deciders of a request. Beside each rule is the SQL condition for its candidates.
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { isMember } from '../../governance/access/decide.ts';
import type { AssetSubject } from '../../governance/access/subject.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';

/**
 * Message, reasons and comments are for the asset's team, its owner, the submitter and platform admins. Read permission on the asset is not
 * enough.
 */
export function readsWords(
  caller: SignedInCaller,
  { submitted_by }: { submitted_by: string | null },
  { team, owner_id }: Pick<AssetSubject, 'team' | 'owner_id'>,
): boolean {
  return caller.role === 'admin' || isMember(caller, team.id) || owner_id === caller.id || submitted_by === caller.id;
}

/** readsWords() as a condition on `approval r` and `asset a`. */
export function whereReadsWords(caller: SignedInCaller): Sql {
  if (caller.role === 'admin') return sql`true`;
  const teams = caller.memberships.map((membership) => membership.team_id);
  return sql`(a.team_id = any(${teams}) or a.owner_id = ${caller.id} or r.submitted_by = ${caller.id})`;
}

/** The people behind a request and its content, by id. */
export interface Makers {
  submitter: string;
  /** Users who were shown a key of the submitting service principal. */
  key_holders: readonly string[];
  /** Users who pushed the version, or were shown a key of a service principal that pushed it. */
  authors: readonly string[];
}

/** The user's part in a request. An admin without a part may decide it. */
export function partIn({ submitter, key_holders, authors }: Makers, user_id: string): keyof Makers | undefined {
  if (submitter === user_id) return 'submitter';
  if (key_holders.includes(user_id)) return 'key_holders';
  return authors.includes(user_id) ? 'authors' : undefined;
}

/**
 * The admins whose vote a request needs, and the votes that count. When the required number falls, a pending request can have enough votes.
 * Then any admin's next vote decides it.
 */
export function waitingFor<Person extends { id: string }, Vote extends { user_id: string }>(
  { approvals_required }: { approvals_required: number },
  able: readonly Person[],
  votes: readonly Vote[],
): { waits_for: Person[]; counted: Vote[] } {
  const counted = votes.filter(({ user_id }) => able.some(({ id }) => id === user_id));
  const isEnough = counted.length >= approvals_required;
  return { counted, waits_for: able.filter(({ id }) => isEnough || !votes.some(({ user_id }) => user_id === id)) };
}

/** waitingFor() this caller, as a condition on `approval r`, `asset a` and `version v`. */
export function whereWaitingFor(caller: SignedInCaller): Sql {
  const led = caller.memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  return sql`(r.status = 'pending' and (${caller.role === 'admin'} or a.team_id = any(${led}))
    and r.submitted_by <> ${caller.id} and ${caller.id} <> all(v.authors))`;
}
