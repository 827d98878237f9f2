// What belongs to teams, groups and service principals, is listed alike: by name, to platform admins all of it, to others their teams'.
import type { Page } from '@gantry/contract/endpoint.ts';
import type { SignedInCaller } from '../access/caller.ts';
import type { Cursors } from '../http/cursor.ts';

export interface OfTeamsQuery {
  team?: string | undefined;
  name?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** What a store is asked, which answers by name. */
export interface OfTeams {
  /** By id; all of them unless told. */
  of_teams?: string[] | undefined;
  team?: string | undefined;
  name?: string | undefined;
  after?: string;
  limit: number;
}

export async function listOfTeams<Row extends { name: string }, Item>(
  cursors: Cursors,
  user: SignedInCaller,
  { team, name, limit, cursor }: OfTeamsQuery,
  list: { noun: string; rows: (narrowed: OfTeams) => Promise<Row[]>; toItem: (row: Row) => Item },
): Promise<Page<Item>> {
  const scope = [list.noun, user.id, team, name];
  const of_teams = user.role === 'admin' ? undefined : user.memberships.map(({ team_id }) => team_id);
  const after = String(cursors.read(cursor, scope)?.[0] ?? '');
  const rows = await list.rows({ of_teams, team, name, after, limit: limit + 1 });
  return cursors.page(rows, limit, scope, (row) => [row.name], list.toItem);
}
