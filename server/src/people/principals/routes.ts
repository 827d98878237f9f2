import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import {
  addGroupMember,
  createGroup,
  deleteGroup,
  listGroups,
  removeGroupMember,
  showGroup,
  updateGroup,
} from './groups.ts';
import { showOrg, setOrg, type OrgFile } from './org-settings.ts';
import { addMember, createTeam, deleteTeam, listTeams, removeMember, showTeam } from './teams.ts';
import { createUser, listUsers, removeUser, showUser, updateUser, type NewUserParts, type UserParts } from './users.ts';

export interface PrincipalsParts extends UserParts, NewUserParts {
  cursors: Cursors;
  orgFile: () => OrgFile;
}

type Nouns = 'teams' | 'users' | 'groups';
type Own = Omit<Handlers<Nouns>, 'users.reset_password'> & Pick<Handlers<'org'>, 'org.show' | 'org.set'>;

export function principalsRoutes(parts: PrincipalsParts): Own {
  const { db, cursors } = parts;
  return {
    'teams.list': async ({ caller, query }) => await listTeams(db, cursors, caller, query),
    'teams.create': async ({ caller, body }) => await createTeam(db, caller, body.name),
    'teams.show': async ({ caller, params }) => await showTeam(parts, caller, params.team),
    'teams.delete': async ({ caller, params }) => await deleteTeam(parts, caller, params.team),
    'teams.add_member': async ({ caller, params, body }) => await addMember(parts, caller, { ...params, ...body }),
    'teams.remove_member': async ({ caller, params, query }) =>
      await removeMember(parts, caller, { ...params, ...query }),
    'users.list': async ({ caller, query }) => await listUsers(parts, caller, query),
    'users.create': async ({ caller, body }) => await createUser(parts, caller, body),
    'users.show': async ({ caller, params }) => await showUser(parts, caller, params.id),
    'users.update': async ({ caller, params, body }) => await updateUser(parts, caller, params.id, body),
    'users.remove': async ({ caller, params, query }) => await removeUser(parts, caller, params.id, query.assets_to),
    'groups.list': async ({ caller, query }) => await listGroups(db, cursors, caller, query),
    'groups.create': async ({ caller, body }) => await createGroup(db, caller, body),
    'groups.show': async ({ caller, params }) => await showGroup(db, caller, params.id),
    'groups.update': async ({ caller, params, body }) => await updateGroup(db, caller, params.id, body),
    'groups.delete': async ({ caller, params }) => await deleteGroup(parts, caller, params.id),
    'groups.add_member': async ({ caller, params, body }) => await addGroupMember(db, caller, params.id, body.email),
    'groups.remove_member': async ({ caller, params }) =>
      await removeGroupMember(db, caller, params.id, params.member_id),
    'org.show': async ({ caller }) => await showOrg(parts, caller),
    'org.set': async ({ caller, body }) => await setOrg(parts, caller, body),
  };
}
