// Rows → the wire's records.
import type { UserRecord } from '@gantry/contract/people/login.ts';
import type { team, user } from '@gantry/contract/people/principals.ts';
import type { z } from 'zod';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { isMember, effectiveRole } from '../../governance/access/decide.ts';
import type { UserRow } from './store.ts';
import type { MemberRow, TeamRow } from './team-store.ts';

export function userRecord(caller: SignedInCaller): UserRecord {
  return {
    id: caller.id,
    kind: caller.kind,
    email: caller.kind === 'user' ? caller.email : null,
    name: caller.name,
    role: caller.role,
    primary_team: caller.primary_team?.name ?? null,
    active_team: caller.active_team?.name ?? null,
    teams: caller.memberships.map(({ team: name, role }) => ({ name, role })),
    must_change_password: caller.kind === 'user' && caller.must_change_password,
    allowed_assets: caller.kind === 'user' ? null : caller.allowed_assets,
  };
}

export function teamRecord(caller: SignedInCaller, row: TeamRow, members: readonly MemberRow[]): z.output<typeof team> {
  const mine = members.filter((member) => member.team_id === row.id);
  return {
    ...row,
    your_role: isMember(caller, row.id) || caller.role === 'admin' ? effectiveRole(caller, row.id) : null,
    members: mine.map((member) => ({ principal: `user:${member.email}`, role: member.role })),
  };
}

/** The admins' view of a user. `mail_expires_at`: the end of the mailed link to choose a password. */
export function adminUserRecord(
  row: UserRow,
  {
    memberships,
    mail_expires_at = null,
  }: { memberships: readonly MemberRow[]; mail_expires_at?: string | undefined | null },
): z.output<typeof user> {
  const teams = memberships
    .filter((membership) => membership.user_id === row.id)
    .map(({ team: name, role }) => ({ name, role }));
  return { ...row, mail_expires_at, teams };
}
