// ACL rows of assets. They are written with the asset, by immutable ids; a change of them is a governed change of their own.
import { defaultEntries, type Visibility } from '@gantry/contract/roles.ts';
import type { Reader } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { GovernedTx } from './change.ts';
import type { Entry } from './subject.ts';

/** The spec's "Default ACL on creation", narrowed by the visibility. */
export function defaultEntriesFor(owner_id: string, team_id: string, visibility: Visibility): Entry[] {
  const owner: Entry = { principal_type: 'user', principal_id: owner_id, actions: [...defaultEntries.owner] };
  const team: Entry = { principal_type: 'team', principal_id: team_id, actions: [...defaultEntries.team] };
  const org: Entry = { principal_type: 'org', principal_id: null, actions: [...defaultEntries.org] };
  if (visibility === 'private') return [owner];
  return visibility === 'team' ? [owner, team] : [owner, team, org];
}

export async function writeEntries(tx: GovernedTx, asset_id: string, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    await tx.write(
      'permission',
      sql`insert into permission (asset_id, principal_type, principal_id, actions)
          values (${asset_id}, ${entry.principal_type}, ${entry.principal_id}, ${entry.actions}) returning id`,
    );
  }
}

/** Takes away what a narrower visibility would not have written. What was granted to others by hand stays. */
export async function narrowEntries(
  tx: GovernedTx,
  asset_id: string,
  team_id: string,
  visibility: Exclude<Visibility, 'org'>,
): Promise<void> {
  const principals =
    visibility === 'team'
      ? sql`principal_type = 'org'`
      : sql`(principal_type = 'org' or (principal_type = 'team' and principal_id = ${team_id}))`;
  await tx.write('permission', sql`delete from permission where asset_id = ${asset_id} and ${principals} returning id`);
}

export async function removeEntries(tx: GovernedTx, asset_id: string): Promise<void> {
  await tx.write('permission', sql`delete from permission where asset_id = ${asset_id} returning id`);
}

/** Rows of several assets at once, by asset id. */
export async function entriesOf(db: Reader, asset_ids: readonly string[]): Promise<Map<string, Entry[]>> {
  const rows = await db.all<Entry & { asset_id: string }>(
    sql`select asset_id, principal_type, principal_id, actions from permission where asset_id = any(${asset_ids}) order by id`,
  );
  const byAsset = Map.groupBy(rows, (row) => row.asset_id);
  return new Map(asset_ids.map((id) => [id, byAsset.get(id) ?? []]));
}
