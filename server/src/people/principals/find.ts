// Functions for higher folders.
import { isAtLeast, type Role } from '@gantry/contract/roles.ts';
import type { Reader } from '../../ground/database/database.ts';
import * as groups from './group-store.ts';
import { isAdminOf, type Person } from './policy.ts';
import * as store from './store.ts';
import * as teamStore from './team-store.ts';

export type { Settings } from './store.ts';

export const findTeam = teamStore.teamByName;
export const findGroup = groups.groupByName;
export const findUser = store.userByEmail;
export const findUserOfAnyTime = store.userOfAnyTime;
export const settings = store.settings;
export const offeredProviders = store.offeredProviders;
/** Marks all parts of this installation outside the database. */
export const installationId = store.orgId;
/** A user with the password hash; only for sign-in. */
export const findCredential = store.credential;
export const replacePassword = store.replacePassword;
export const putPassword = store.putPassword;
export const lockUser = store.lockUser;
/** Locks it against removal until the transaction ends; false for a removed one. */
export const holdUser = store.holdUser;
export const holdTeam = teamStore.holdTeam;
export const holdGroup = groups.holdGroup;
export const lockGroup = groups.lockGroup;

/** Creation times of these users and teams, by id. */
export async function sinceWhen(db: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return new Map((await store.since(db, ids)).map(({ id, created_at }) => [id, created_at]));
}

/** The admins who can decide for each of these teams, sorted by e-mail. */
export async function adminsOf(db: Reader, team_ids: readonly string[]): Promise<Map<string, Person[]>> {
  const people = await store.admins(db, team_ids);
  return new Map(team_ids.map((id) => [id, people.filter((person) => isAdminOf(person, id))]));
}

export const platformAdmins = async (db: Reader): Promise<Person[]> => await store.admins(db, []);

/** Locks the status of these people, and their roles on the platform and in the team, until the transaction ends. */
export const holdRoles = store.holdRoles;

/** Ids of the members with at least this role in the team, sorted by e-mail. */
export async function membersFrom(db: Reader, team_id: string, role: Role): Promise<string[]> {
  const members = await teamStore.membersOfTeams(db, [team_id]);
  return members.filter((member) => isAtLeast(member.role, role)).map(({ user_id }) => user_id);
}

export async function isInTeam(db: Reader, team_id: string, user_id: string): Promise<boolean> {
  const members = await teamStore.membersOfTeams(db, [team_id]);
  return members.some((member) => member.user_id === user_id);
}
