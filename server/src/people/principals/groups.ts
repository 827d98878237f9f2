// Groups: named sets of a team's users, for ACL entries. Members get only the rights of the group's entries. A user who leaves the team leaves
// its groups too.
import type { Page } from '@gantry/contract/endpoint.ts';
import { groupActions, type Group, type GroupDetail } from '@gantry/contract/people/groups.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Leaves } from '../../governance/access/when-leaves.ts';
import { listGrants, toChange } from '../../governance/access/reading-grants.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { can, passes } from '../../governance/access/can.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg, type TeamSubject } from '../../governance/access/subject.ts';
import { errorCode, unique_violation, type Database, type Reader } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { signedIn } from './signed-in.ts';
import * as store from './group-store.ts';
import { isInTeam } from './find.ts';
import { listOfTeams, type OfTeamsQuery } from './list-of-teams.ts';
import { loadTeam } from './load-team.ts';
import { userByEmail } from './store.ts';

export async function listGroups(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  query: OfTeamsQuery,
): Promise<Page<Group>> {
  const user = signedIn(caller);
  authorize(user, 'group.list', theOrg);
  return await listOfTeams(cursors, user, query, {
    noun: 'groups',
    operation: 'group.read',
    rows: async (narrowed) => await store.groups(db, narrowed),
    toItem: toRecord,
  });
}

export async function showGroup(db: Database, caller: Caller, id: string): Promise<GroupDetail> {
  const { row, team } = await load(db, id);
  authorize(caller, 'group.read', team);
  const add = async () => {
    authorize(caller, 'group.change', team);
    await requireToGive(db, caller, id);
  };
  return {
    ...toRecord(row),
    can: { ...can(caller, team, groupActions), 'groups.add_member': await passes(add) },
  };
}

export async function createGroup(
  db: Database,
  caller: Caller,
  { name, team: team_name, description }: { name: string; team: string; description: string },
): Promise<Group> {
  const team = await loadTeam(db, team_name);
  const grant = authorize(caller, 'group.change', team);
  const id = await change(db, grant, 'group.created', async (tx, note) => {
    note({ group: name, description });
    return await store.insertGroup(tx, { name, team_id: team.id, description });
  }).catch(nameTaken(name));
  return await readBack(db, id);
}

export async function updateGroup(
  db: Database,
  caller: Caller,
  id: string,
  changes: { name?: string | undefined; description?: string | undefined },
): Promise<Group> {
  const { row, team } = await load(db, id);
  const grant = authorize(caller, 'group.change', team);
  await change(db, grant, 'group.changed', async (tx, note) => {
    const before = await store.lockGroup(tx, id);
    if (before === undefined) throw new Problem('not_found');
    const after = { name: changes.name ?? before.name, description: changes.description ?? before.description };
    if (before.name === after.name && before.description === after.description) return;
    await store.updateGroup(tx, id, after);
    note({ group: row.name, before, after });
  }).catch(nameTaken(changes.name ?? row.name));
  return await readBack(db, id);
}

export async function deleteGroup(
  { db, leaves }: { db: Database; leaves: Leaves },
  caller: Caller,
  id: string,
): Promise<void> {
  const { row, team } = await load(db, id);
  const grant = authorize(caller, 'group.change', team);
  await change(db, grant, 'group.deleted', async (tx, note) => {
    if ((await store.lockGroup(tx, id)) === undefined) throw new Problem('not_found');
    const ended = await leaves.group(tx, { id, name: row.name });
    await store.deleteGroup(tx, id);
    note({ group: row.name, members: row.members.map(({ email }) => email), ...ended });
  });
}

// More grants of one group than this are a mistake.
const most_grants = 1000;

/**
 * A new member gets the group's reading grants. So the caller must have the right to give each of them: an admin of the group's team would else
 * give a grant on the organisation. The new row's key holds the group, so a grant that comes later waits.
 */
async function requireToGive(db: Reader, caller: Caller, id: string): Promise<void> {
  for (const { team_id } of await listGrants(db, { principal_id: id, limit: most_grants }))
    authorize(caller, ...toChange(team_id));
}

/** A repeated call changes nothing. */
export async function addGroupMember(db: Database, caller: Caller, id: string, email: string): Promise<Group> {
  const { row, team } = await load(db, id);
  const grant = authorize(caller, 'group.change', team);
  const user = await userByEmail(db, email);
  if (user === undefined || !(await isInTeam(db, team.id, user.id)))
    throw new Problem('invalid', {
      detail: `${email} is not in team:${team.name}, and group:${row.name} is only for its users.`,
      hint: `Add them first: svc team add ${team.name} user:${email}`,
    });
  await change(db, grant, 'group.changed', async (tx, note) => {
    if (!(await store.insertGroupMember(tx, row, user.id))) return;
    await requireToGive(tx, caller, id);
    note({ group: row.name, user: email, added: true });
  });
  return await readBack(db, id);
}

export async function removeGroupMember(db: Database, caller: Caller, id: string, member_id: string): Promise<void> {
  const { row, team } = await load(db, id);
  const grant = authorize(caller, 'group.change', team);
  const email = row.members.find((member) => member.id === member_id)?.email;
  await change(db, grant, 'group.changed', async (tx, note) => {
    if (!(await store.deleteGroupMember(tx, id, member_id)))
      throw new Problem('not_found', { detail: `They are not in group:${row.name}.` });
    note({ group: row.name, user: email ?? member_id, removed: true });
  });
}

async function load(db: Reader, id: string): Promise<{ row: store.GroupRow; team: TeamSubject }> {
  const row = await store.groupById(db, id);
  if (row === undefined) throw new Problem('not_found');
  return { row, team: { kind: 'team', id: row.team_id, name: row.team } };
}

async function readBack(db: Reader, id: string): Promise<Group> {
  return toRecord((await load(db, id)).row);
}

function toRecord({ team_id: _, ...row }: store.GroupRow): Group {
  return row;
}

function nameTaken(name: string) {
  return (error: unknown): never => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', { detail: `The group ${name} already exists.` });
    throw error;
  };
}
