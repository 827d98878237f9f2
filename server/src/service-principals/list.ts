import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { theOrg } from '../access/subject.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { PrincipalParts } from './parts.ts';
import { principalRecord } from './records.ts';
import * as store from './store.ts';

export async function listPrincipals(
  { db, cursors }: PrincipalParts,
  caller: Caller,
  query: { team?: string | undefined; name?: string | undefined; limit: number; cursor?: string | undefined },
) {
  const user = signedIn(caller);
  authorize(user, 'principal.list', theOrg);
  const scope = ['principals', user.id, query.team, query.name];
  const after = cursors.read(query.cursor, scope)?.[0];
  const rows = await store.principals(db, {
    of_teams: user.role === 'admin' ? undefined : user.memberships.map(({ team_id }) => team_id),
    team: query.team,
    name: query.name,
    after: after === undefined ? undefined : String(after),
    limit: query.limit + 1,
  });
  return cursors.page(rows, query.limit, scope, (row) => [row.name], principalRecord);
}
