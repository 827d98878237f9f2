// One list for groups and service principals of teams, sorted by name. Platform admins get all; others get those of their teams.
import type { Page } from '@gantry/contract/endpoint.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { isListedOfTeam } from './policy.ts';

export interface OfTeamsQuery {
  team?: string | undefined;
  name?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** The query of a store. The result is sorted by name. */
export interface OfTeams {
  /** Undefined: everything. */
  caller?: SignedInCaller;
  team?: string | undefined;
  name?: string | undefined;
  after?: string;
  limit: number;
}

export async function listOfTeams<Row extends { name: string; team_id: string; team: string }, Item>(
  cursors: Cursors,
  user: SignedInCaller,
  { team, name, limit, cursor }: OfTeamsQuery,
  list: {
    noun: string;
    operation: 'group.read' | 'principal.read';
    /** Candidates of isListedOfTeam(). */
    rows: (narrowed: OfTeams) => Promise<Row[]>;
    toItem: (row: Row) => Item;
  },
): Promise<Page<Item>> {
  const scope = [list.noun, user.id, team, name];
  const after = String(cursors.read(cursor, scope)?.[0] ?? '');
  const rows = await list.rows({ caller: user, team, name, after, limit: limit + 1 });
  const toItem = (row: Row) =>
    isListedOfTeam(user, list.operation, { id: row.team_id, name: row.team }) ? list.toItem(row) : undefined;
  return cursors.page(rows, limit, scope, (row) => [row.name], toItem);
}
