import type { GatewayKey } from '@gantry/contract/keys.ts';
import type { Reader } from '../database/database.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { limitsOf } from '../ledger/limits.ts';
import { isListed } from './policy.ts';
import * as store from './store.ts';
import type { KeyRow } from './store.ts';

export async function toRecords(db: Reader, rows: readonly KeyRow[]): Promise<GatewayKey[]> {
  const limits = await limitsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ scope_id: _, team_id: __, revoked_at, is_expired, ...row }, index) => ({
    ...row,
    limits: limits[index] ?? noLimits(),
    state: revoked_at === null ? (is_expired ? 'expired' : 'active') : 'revoked',
  }));
}

/** A key that the caller may see. Throws `not_found` otherwise. */
export async function loadKey(db: Reader, caller: SignedInCaller, id: string): Promise<KeyRow> {
  const row = await store.keyById(db, id);
  if (row === undefined || !isListed(caller, row)) throw new Problem('not_found');
  return row;
}

function noLimits(): never {
  throw new Error('limits are given for every id');
}
