// Teams and their members.
import { Problem } from '@gantry/contract/problems.ts';
import { teamActions } from '@gantry/contract/people/principals.ts';
import { parsePrincipal } from '@gantry/contract/refs.ts';
import type { Role } from '@gantry/contract/roles.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { can, passes } from '../../governance/access/can.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Leaves } from '../../governance/access/when-leaves.ts';
import { theOrg, type TeamSubject } from '../../governance/access/subject.ts';
import { errorCode, unique_violation, type Database, type Reader } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { loadTeam } from './load-team.ts';
import type { IssueKey } from './new-member.ts';
import { refuseTooFewAdmins } from './enough-admins.ts';
import { isListedOfTeam } from './policy.ts';
import { teamRecord } from './records.ts';
import { signedIn } from './signed-in.ts';
import * as store from './store.ts';
import * as teamStore from './team-store.ts';

export async function createTeam(db: Database, caller: Caller, name: string) {
  const grant = authorize(caller, 'team.create', theOrg);
  const row = await change(db, grant, 'team.created', async (tx, note) => {
    const made = await teamStore.insertTeam(tx, name);
    note({ team: name }, { team: name });
    return made;
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', {
        detail: `The team ${name} already exists.`,
        hint: `See it: svc team show ${name}`,
      });
    throw error;
  });
  return teamRecord(signedIn(caller), row, []);
}

export async function listTeams(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  query: { limit: number; cursor?: string | undefined },
) {
  const user = signedIn(caller);
  authorize(user, 'team.list', theOrg);
  const scope = ['teams', user.id];
  const after = cursors.read(query.cursor, scope)?.[0];
  const rows = await teamStore.teams(db, {
    caller: user,
    after: after === undefined ? undefined : String(after),
    limit: query.limit + 1,
  });
  const members = await teamStore.membersOfTeams(
    db,
    rows.map((row) => row.id),
  );
  return cursors.page(
    rows,
    query.limit,
    scope,
    (row) => [row.name],
    (row) => (isListedOfTeam(user, 'team.read', row) ? teamRecord(user, row, members) : undefined),
  );
}

export async function showTeam({ db, leaves }: { db: Database; leaves: Leaves }, caller: Caller, name: string) {
  const subject = await loadTeam(db, name);
  authorize(caller, 'team.read', subject);
  const remove = async () => {
    authorize(caller, 'team.delete', subject);
    await refuseWhileUsed(db, leaves, subject);
  };
  return {
    ...(await record(db, signedIn(caller), subject)),
    can: {
      ...can(caller, subject, teamActions, {
        'budgets.set': 'budget.change',
        'budgets.show': 'budget.read',
        'keys.create': 'key.manage',
        'secrets.remove': 'team_secret.change',
        'secrets.set': 'team_secret.change',
      }),
      'teams.delete': await passes(remove),
    },
  };
}

/**
 * Adds a user to a team, or changes their role in it. Nobody gives a role above their own role in that team. A new member gets a gateway
 * key.
 */
export async function addMember(
  { db, issueKey }: { db: Database; issueKey: IssueKey },
  caller: Caller,
  { team, principal, role }: { team: string; principal: string; role: Role },
) {
  const subject = await loadTeam(db, team);
  const grant = authorize(caller, 'member.add', subject);
  const user = await loadMember(db, principal);
  await change(db, grant, 'member.added', async (tx, note) => {
    const before = await teamStore.putMember(tx, subject.id, user.id, role);
    if (before === 'admin' && role !== 'admin') await refuseTooFewAdmins(tx, subject.id);
    if (before === role) return;
    const member = { id: user.id, email: user.email, team_id: subject.id, issued_by: signedIn(caller).id };
    const issued = before === undefined ? { key: await issueKey(tx, member) } : {};
    note({ user: user.email, before: before ?? null, after: role, ...issued });
  });
  return await record(db, signedIn(caller), subject);
}

/**
 * Their assets in the team go to `assets_to`, another member. Throws `owns_assets` without one. Their gateway keys there end with their
 * membership, and so do the team's keys that they were shown, and their grants to read its costs and its log.
 */
export async function removeMember(
  { db, leaves }: { db: Database; leaves: Leaves },
  caller: Caller,
  { team, principal, assets_to }: { team: string; principal: string; assets_to?: string | undefined },
): Promise<void> {
  const subject = await loadTeam(db, team);
  const grant = authorize(caller, 'member.remove', subject);
  const user = await loadMember(db, principal);
  await change(db, grant, 'member.removed', async (tx, note) => {
    const before = await teamStore.deleteMember(tx, subject.id, user.id);
    if (before === undefined) throw new Problem('not_found', { detail: `${user.email} is not in team:${team}.` });
    if (before === 'admin') await refuseTooFewAdmins(tx, subject.id);
    const { id, email } = user;
    const ended = await leaves.user(tx, { id, email, how: 'left_team', team_id: subject.id, assets_to });
    note({ user: email, before, after: null, ...ended });
  });
}

/** Deletes only an empty team: its assets would otherwise have no team. */
export async function deleteTeam(
  { db, leaves }: { db: Database; leaves: Leaves },
  caller: Caller,
  name: string,
): Promise<void> {
  const subject = await loadTeam(db, name);
  const grant = authorize(caller, 'team.delete', subject);
  await change(db, grant, 'team.deleted', async (tx, note) => {
    // The creation of anything in it now waits, and then finds no team.
    await teamStore.lockTeam(tx, subject.id);
    await refuseWhileUsed(tx, leaves, subject);
    const ended = await leaves.team(tx, subject);
    await teamStore.deleteTeam(tx, subject.id);
    note({ team: name, ...ended });
  });
}

async function refuseWhileUsed(db: Reader, leaves: Leaves, { id, name }: TeamSubject): Promise<void> {
  const uses = await leaves.heldByTeam(db, id);
  if (uses.length === 0) return;
  throw new Problem('in_use', {
    detail: `team:${name} has ${uses.slice(0, 10).join(', ')}${uses.length > 10 ? ' and more' : ''}.`,
    hint: 'Transfer or delete them first.',
  });
}

async function record(db: Database, caller: SignedInCaller, subject: TeamSubject) {
  const row = await teamStore.teamByName(db, subject.name);
  if (row === undefined) throw new Problem('not_found');
  return teamRecord(caller, row, await teamStore.membersOfTeams(db, [row.id]));
}

async function loadMember(db: Database, principal: string) {
  const ref = parsePrincipal(principal);
  if (ref?.kind !== 'user')
    throw new Problem('invalid', { detail: `${principal} is not a user. Write it as user:<EMAIL>.` });
  const user = await store.userByEmail(db, ref.name);
  if (user === undefined)
    throw new Problem('invalid', {
      detail: `There is no user ${ref.name}.`,
      hint: `Create them: svc user create ${ref.name}`,
    });
  return user;
}
