import type { Database } from '../../database/database.ts';
import { heads } from '../chain-store.ts';
import * as store from './push-store.ts';

export interface PushState extends Omit<store.PushRow, 'positions'> {
  /** Entries that have not arrived yet. */
  behind: number;
}

/** How far a destination has the log. */
export async function pushState(db: Database, destination: string): Promise<PushState> {
  const row = await store.find(db, destination);
  const { positions = {}, delivered_at = null, failing_since = null, last_error = null, notice = null } = row ?? {};
  const behind = (await heads(db)).reduce(
    (sum, { chain, seq }) => sum + Math.max(0, seq - (positions[chain]?.seq ?? 0)),
    0,
  );
  return { destination, delivered_at, failing_since, last_error, notice, behind };
}
