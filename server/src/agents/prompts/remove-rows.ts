import type { GovernedTx } from '../../governance/access/change.ts';
import { endKeys } from '../../models/keys/end-keys.ts';
import * as examples from './example-store.ts';
import * as payers from './payer-store.ts';

/** With a prompt go its examples and the key of its trials. */
export async function removePromptRows(tx: GovernedTx, prompt_id: string): Promise<void> {
  await examples.removeAll(tx, prompt_id);
  await endKeys(tx, await payers.remove(tx, prompt_id));
}
