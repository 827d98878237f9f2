import type { KeyScope } from '@gantry/contract/models/keys.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { installationId } from '../../../people/principals/find.ts';
import * as store from '../store.ts';

export interface Holder {
  scope: KeyScope;
  scope_id: string;
  team_id: string | null;
}

/** The accounts that pay for a call with the key, by id: the key's own, its holder's, its team's, the organisation's. */
export async function accountsOf(db: Reader, { id, ...holder }: Holder & { id: string }): Promise<string[]> {
  const { team_id } = holder;
  const [held_by, org_id] = await Promise.all([holderAccount(db, holder), installationId(db)]);
  return [...new Set([id, held_by, ...(team_id === null ? [] : [team_id]), org_id])];
}

/** A user has an account in each of their teams: the membership's. So all keys of a member share the limits that the team gave them. */
export async function holderAccount(db: Reader, { scope, scope_id, team_id }: Holder): Promise<string> {
  if (scope !== 'user' || team_id === null) return scope_id;
  return (await store.membershipId(db, { user_id: scope_id, team_id })) ?? scope_id;
}
