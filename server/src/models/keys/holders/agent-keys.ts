// The key of an agent's revision. A deploy issues it without effect, and activates it in the transaction that registers the revision. Before,
// it works only while that deploy starts its container. It works until its revision is gone, so the old and the new revision call models side
// by side while the old one drains.
import { Problem } from '@gantry/contract/problems.ts';
import type { GovernedTx } from '../../../governance/access/change.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { endKeys, endKeysOf } from '../end-keys.ts';
import { issueKey } from '../issue-key.ts';
import type { KeyMaker } from '../parts.ts';
import * as store from '../store.ts';

export interface NewAgentKey {
  agent_id: string;
  name: string;
  team_id: string;
  /** Names of models. */
  models: string[];
  settings?: store.KeySettings;
  /** Who deploys. */
  created_by: string;
  /** The deploy during whose start it works. */
  start_run_id?: string;
}

/** Without `start_run_id`, no call is admitted with it before `activateAgentKey`. */
export async function mintAgentKey(
  maker: KeyMaker,
  tx: GovernedTx,
  { agent_id, name, team_id, models, settings = {}, created_by, start_run_id }: NewAgentKey,
): Promise<{ id: string; prefix: string }> {
  const { id, prefix } = await issueKey(maker, tx, {
    alias: `agent:${name}`,
    scope: 'agent',
    scope_id: agent_id,
    team_id,
    models,
    settings,
    tags: [],
    created_by,
    issued: true,
    start_run_id,
  });
  return { id, prefix };
}

/** Throws `conflict` for a key that has ended. */
export async function activateAgentKey(tx: GovernedTx, id: string): Promise<void> {
  if (!(await store.activate(tx, id)))
    throw new Problem('conflict', { detail: 'The key of this revision was revoked.', hint: 'Deploy it again.' });
}

/** For the container of its revision alone. Undefined for a key that has ended. */
export async function openAgentKey(
  { envelope }: Pick<KeyMaker, 'envelope'>,
  db: Reader,
  id: string,
): Promise<string | undefined> {
  const sealed = await store.sealedKey(db, id);
  return sealed && envelope.open(sealed, { table: 'gateway_key', id });
}

/** When its revision is gone. */
export async function endAgentKey(tx: GovernedTx, id: string): Promise<string[]> {
  return await endKeys(tx, [id]);
}

/** Ends the keys of deploys that ended before they activated them. */
export async function endUnusedAgentKeys(tx: GovernedTx, agent_id: string): Promise<string[]> {
  return await endKeys(tx, await store.unusedKeys(tx, agent_id));
}

/** When the agent is deleted or gets another team. */
export const endAgentKeys = endKeysOf;
