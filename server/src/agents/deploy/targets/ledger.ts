import type { Database } from '../../../ground/database/database.ts';
import * as resourceStore from '../resource-store.ts';
import type { Ledger } from './outside.ts';

/** Of one target. Each record is committed when it ends. */
export const openLedger = (db: Database, target: string): Ledger => ({
  record: async ({ kind, name }, of, described) =>
    await resourceStore.record(db, { target, kind, name, of, described }),
  removed: async ({ kind, name }) => await resourceStore.setRemoved(db, { target, kind, name }),
  list: async () =>
    (await resourceStore.openResources(db, target)).map(({ described, ...one }) => ({
      ...one,
      described: described ?? undefined,
    })),
});
