import type { Page } from '@gantry/contract/endpoint.ts';
import type { ReadingGrant } from '@gantry/contract/people/reading-grants.ts';
import type { ReadingRight } from '@gantry/contract/roles.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { listGrants, mayListGrant } from '../../../governance/access/reading-grants.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Database } from '../../../ground/database/database.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import { findTeam } from '../../../people/principals/find.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { findReaderId } from './find-grantee.ts';
import { grantRecords } from './records.ts';

export interface GrantQuery {
  right?: ReadingRight | undefined;
  team?: string | undefined;
  scope?: 'org' | undefined;
  principal?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** The caller's own, and those that they may change. */
export async function listReadingGrants(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  { limit, cursor, ...filter }: GrantQuery,
): Promise<Page<ReadingGrant>> {
  const user = signedIn(caller);
  authorize(user, 'grant.list', theOrg);
  const scope = ['grants', user.id, filter];
  const after = cursors.read(cursor, scope)?.[0];
  const team = filter.team === undefined ? undefined : await findTeam(db, filter.team);
  const principal_id = filter.principal === undefined ? undefined : await findReaderId(db, filter.principal);
  // A missing team and a missing holder get an empty list, like hidden ones.
  if (filter.team !== undefined && team === undefined) return { items: [] };
  if (filter.principal !== undefined && principal_id === undefined) return { items: [] };
  const rows = await listGrants(db, {
    caller: user,
    right: filter.right,
    team_id: team?.id,
    of_org: filter.scope === 'org',
    principal_id,
    after: after === undefined ? undefined : String(after),
    limit: limit + 1,
  });
  const records = new Map((await grantRecords(db, rows)).map((record) => [record.id, record]));
  return cursors.page(
    rows,
    limit,
    scope,
    (row) => [row.id],
    (row) => (mayListGrant(user, row) ? records.get(row.id) : undefined),
  );
}
