import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Handlers } from '../http/handlers.ts';
import { addMember, createTeam, listTeams, removeMember, showTeam } from './teams.ts';
import { createUser, listUsers, type PasswordMaker } from './users.ts';

export function principalsRoutes({
  db,
  cursors,
  passwords,
}: {
  db: Database;
  cursors: Cursors;
  passwords: PasswordMaker;
}): Handlers<'teams'> & Handlers<'users'> {
  return {
    'teams.list': async ({ caller, query }) => await listTeams(db, cursors, caller, query),
    'teams.create': async ({ caller, body }) => await createTeam(db, caller, body.name),
    'teams.show': async ({ caller, params }) => await showTeam(db, caller, params.team),
    'teams.add_member': async ({ caller, params, body }) =>
      await addMember(db, caller, params.team, body.principal, body.role),
    'teams.remove_member': async ({ caller, params }) => await removeMember(db, caller, params.team, params.principal),
    'users.list': async ({ caller, query }) => await listUsers(db, cursors, caller, query),
    'users.create': async ({ caller, body }) => await createUser(db, passwords, caller, body),
  };
}
