import type { GatewayKey, GatewayKeyWithValue } from '@gantry/contract/models/keys.ts';
import type { Reader } from '../../ground/database/database.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { TeamSubject } from '../../governance/access/subject.ts';
import { limitsOf } from '../ledger/limits.ts';
import { isListed } from './policy.ts';
import * as store from './store.ts';
import type { KeyRow } from './store.ts';

export async function toRecords(db: Reader, rows: readonly KeyRow[]): Promise<GatewayKey[]> {
  if (rows.length === 0) return [];
  // An issued key has no limits of its own.
  const limits = await limitsOf(
    db,
    rows.map(({ id, issued, holder_id }) => (issued ? holder_id : id)),
  );
  return rows.map(
    (
      { scope_id: _, team_id: __, holder_id: ___, activated_at, revoked_at, is_expired, is_paused, tags, ...row },
      index,
    ) => ({
      ...row,
      limits: limits[index] ?? missing(),
      tags: [...tags, ...ownTags(row)],
      state: stateOf({ ...row, activated_at, revoked_at, is_expired, is_paused }),
    }),
  );
}

type State = Pick<KeyRow, 'scope' | 'activated_at' | 'revoked_at' | 'is_expired' | 'is_paused'>;

function stateOf({ scope, activated_at, revoked_at, is_expired, is_paused }: State): GatewayKey['state'] {
  if (revoked_at !== null) return 'revoked';
  if (is_expired) return 'expired';
  if (is_paused) return 'paused';
  if (activated_at !== null) return 'active';
  return scope === 'agent' ? 'inactive' : 'waiting';
}

/** The service's own tags: nobody else writes a colon into a tag. */
function ownTags({ scope, scope_name, team }: Pick<KeyRow, 'scope' | 'scope_name' | 'team'>): string[] {
  return [...(team === null ? [] : [`team:${team}`]), ...(scope === 'agent' ? [`agent:${scope_name}`] : [])];
}

/** A key that the caller may see. Throws `not_found` otherwise. */
export async function loadKey(db: Reader, caller: SignedInCaller, id: string): Promise<KeyRow> {
  const row = await store.keyById(db, id);
  if (row === undefined || !isListed(caller, row)) throw new Problem('not_found');
  return row;
}

/** Only this answer has the value. */
export async function showWithValue(
  db: Reader,
  caller: SignedInCaller,
  { id, key }: { id: string; key: string },
): Promise<GatewayKeyWithValue> {
  const [record] = await toRecords(db, [await loadKey(db, caller, id)]);
  return { ...(record ?? missing()), key };
}

/** Null for a key of the organisation, and for one whose team is gone. */
export function teamOfKey({ team_id, team }: Pick<KeyRow, 'team_id' | 'team'>): TeamSubject | null {
  return team_id === null || team === null ? null : { kind: 'team', id: team_id, name: team };
}

function missing(): never {
  throw new Error('each row has one record, and each id has limits');
}
