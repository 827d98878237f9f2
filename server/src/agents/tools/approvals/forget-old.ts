import type { Database } from '../../../ground/database/database.ts';
import { forgetOld } from './approval-store.ts';

const keep_days = 7;

export async function forgetOldApprovals(db: Database): Promise<void> {
  await forgetOld(db, keep_days);
}
