import type { Reader } from '../../../ground/database/database.ts';
import * as store from '../store.ts';

/** True until the answers of the instance's stored calls are stored. */
export async function hasOpenCalls(db: Reader, instance_id: string): Promise<boolean> {
  return await store.hasRunning(db, instance_id);
}
