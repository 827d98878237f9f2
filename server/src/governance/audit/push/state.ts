import type { Database } from '../../../ground/database/database.ts';
import { heads } from '../chain-store.ts';
import * as store from './push-store.ts';

export interface PushState extends Omit<store.PushRow, 'positions'> {
  /** Entries that have not arrived yet. */
  behind: number;
}

/** The progress of a destination. */
export async function pushState(db: Database, destination: string): Promise<PushState> {
  const { positions, ...state } = await store.find(db, destination);
  const behind = (await heads(db)).reduce(
    (sum, { chain, seq }) => sum + Math.max(0, seq - (positions[chain]?.seq ?? 0)),
    0,
  );
  return { ...state, behind };
}
