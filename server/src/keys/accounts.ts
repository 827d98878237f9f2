import type { Reader } from '../database/database.ts';
import { installationId } from '../principals/find.ts';
import type { KeyIdentity } from './store.ts';

type OfKey = Pick<KeyIdentity, 'id' | 'scope_id' | 'team_id'>;

/** The accounts that pay for a call with the key, by id: the key's own, its user's, agent's or service principal's, its team's, the organisation's. */
export async function accountsOf(db: Reader, { id, scope_id, team_id }: OfKey): Promise<string[]> {
  const org_id = await installationId(db);
  return [...new Set([id, scope_id, ...(team_id === null ? [] : [team_id]), org_id])];
}
