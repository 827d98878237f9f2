import type { Database } from '../../ground/database/database.ts';
import * as asks from './ask-store.ts';
import * as signIns from './sign-in-store.ts';

const keep_days = 7;

export async function forgetOldAsks(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await signIns.forgetOld(tx);
    await asks.forgetOld(tx, keep_days);
  });
}
