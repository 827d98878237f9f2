import type { ReadingGrant } from '@gantry/contract/people/reading-grants.ts';
import type { GrantRow } from '../../../governance/access/reading-grants.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findNames } from '../../../people/service-principals/find.ts';

/** The wire's records of these grants. */
export async function grantRecords(db: Reader, rows: readonly GrantRow[]): Promise<ReadingGrant[]> {
  const ids = rows.flatMap(({ principal_id, team_id, granted_by }) => [
    principal_id,
    granted_by,
    ...(team_id ? [team_id] : []),
  ]);
  const names = new Map((await findNames(db, [...new Set(ids)])).map(({ id, name }) => [id, name]));
  return rows.map(
    ({ id, right, principal_type, principal_id, team_id, granted_by, created_at, expires_at, ended }) => ({
      id,
      right,
      principal: `${principal_type}:${names.get(principal_id) ?? principal_id}`,
      team: team_id && (names.get(team_id) ?? team_id),
      granted_by: names.get(granted_by) ?? granted_by,
      created_at,
      expires_at,
      ended,
    }),
  );
}
