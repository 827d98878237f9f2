// Shared by the commands about users, groups and service principals: people type names, and the service takes ids.
import type { Group } from '@gantry/contract/people/groups.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import { text } from '../command.ts';
import { readUser } from './principal.ts';
import type { Session } from '../session/session.ts';

export type User = Answer<Endpoints['users.show']>;

export const assetsToFlag = text('The new owner of their assets', 'e-mail');

/** By e-mail, with or without the prefix `user:`. Throws `not_found`. */
export async function findUser(session: Session, given: string): Promise<User> {
  const email = readUser(given).slice('user:'.length);
  const { items } = await session.call('users.list', { query: { email } });
  return items[0] ?? missing(`There is no user ${email}.`, 'List the users: svc user list');
}

/** The user of this address. Without one, or when `removed` asks for them, those who had it and were removed. Throws `not_found`. */
export async function accountsOf(
  session: Session,
  given: string,
  removed: boolean,
): Promise<{ ids: string[]; are_removed: boolean }> {
  const email = readUser(given).slice('user:'.length);
  const idsOf = async (of: 'true' | 'false') =>
    (await session.call('users.list', { query: { email, removed: of, limit: 200 } })).items.map(({ id }) => id);
  const present = removed ? [] : await idsOf('false');
  if (present.length > 0) return { ids: present, are_removed: false };
  const gone = await idsOf('true');
  if (gone.length > 0) return { ids: gone, are_removed: true };
  return missing(`There is no user ${email}, and there was none.`, 'List the users: svc user list');
}

export async function findGroup(session: Session, given: string): Promise<Group> {
  const name = given.replace(/^group:/, '');
  const { items } = await session.call('groups.list', { query: { name } });
  return items[0] ?? missing(`There is no group ${name} in your teams.`, 'List the groups: svc group list');
}

export async function findPrincipal(session: Session, given: string): Promise<ServicePrincipal> {
  const name = given.replace(/^principal:/, '');
  const { items } = await session.call('principals.list', { query: { name } });
  return (
    items[0] ??
    missing(`There is no service principal ${name} in your teams.`, 'List the service principals: svc principal list')
  );
}

function missing(detail: string, hint: string): never {
  throw new Problem('not_found', { detail, hint });
}
