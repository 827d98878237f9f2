import type { GovernedTx } from '../../governance/access/change.ts';
import * as erasures from './erasure-store.ts';
import * as hooks from './hook-store.ts';
import * as indexes from './index-store.ts';
import * as snapshots from './snapshot-store.ts';
import * as uploads from './upload-store.ts';

/** The governed rows that go with a knowledge base or an index. The key that paid for vectors stays with its team. */
export async function removeKnowledgeRows(tx: GovernedTx, asset_id: string): Promise<void> {
  await hooks.remove(tx, asset_id);
  await indexes.remove(tx, asset_id);
  await snapshots.stopServing(tx, asset_id);
  await uploads.removeAll(tx, asset_id);
  await erasures.removeAll(tx, asset_id);
}
