import type { Database } from '../../../ground/database/database.ts';
import * as asks from './ask-store.ts';
import * as clients from './client-store.ts';
import * as grants from './grant-store.ts';

const unused_hours = 24;

export async function forgetOldClients(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await asks.forgetOld(tx);
    await grants.forgetOld(tx);
    await clients.forgetUnused(tx, unused_hours);
  });
}
