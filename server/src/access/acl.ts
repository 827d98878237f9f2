// ACL rows of assets. They are written with the asset, by immutable ids; a change of them is a governed change of their own.
import { defaultEntries, type Visibility } from '@gantry/contract/roles.ts';
import { sql, type Sql } from '../database/sql.ts';
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

/** A column for a select of assets: an asset and who may do what with it are then read together, as of one moment. */
export function entriesColumn(asset_id: Sql): Sql {
  return sql`(
    select coalesce(json_agg(json_build_object('principal_type', principal_type, 'principal_id', principal_id, 'actions', actions) order by id), '[]')
    from permission where permission.asset_id = ${asset_id}) as entries`;
}
