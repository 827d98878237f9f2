import type { Reader } from '../../../ground/database/database.ts';
import * as startStore from './start-store.ts';
import * as store from '../store.ts';

export type { KeySettings } from '../store.ts';

/** What decides about a key's calls, and what its ledger rows say. All of it is governed. */
export interface KeyFacts {
  id: string;
  prefix: string;
  team: string | null;
  user: string | null;
  agent: string | null;
  principal: string | null;
  models: string[];
  tags: string[];
  expires_at: string | null;
  is_revoked: boolean;
  settings: store.KeySettings;
  /** False while it waits for its owner or its deploy. */
  is_activated: boolean;
}

/** Undefined for a key that is gone. */
export async function keyFacts(db: Reader, id: string): Promise<KeyFacts | undefined> {
  const row = await store.keyById(db, id);
  return row && factsOf(row);
}

export interface KeyForAgents extends KeyFacts {
  /** An account decides it, so it is no fact to keep. */
  is_paused: boolean;
}

/** For a call that no admission decides. Undefined for a key that is gone. */
export async function keyForAgents(db: Reader, id: string): Promise<KeyForAgents | undefined> {
  const row = await store.keyById(db, id);
  return row && { ...factsOf(row), is_paused: row.is_paused };
}

export function factsOf(row: store.KeyRow): KeyFacts {
  const { id, prefix, scope, scope_name, team, models, tags, expires_at, revoked_at, activated_at, settings } = row;
  const named = (one: typeof scope) => (scope === one ? scope_name : null);
  return {
    id,
    prefix,
    team,
    user: named('user'),
    agent: named('agent'),
    principal: named('principal'),
    models,
    tags,
    expires_at,
    settings: settings ?? {},
    is_revoked: revoked_at !== null,
    is_activated: activated_at !== null,
  };
}

/** Its deploy starts the agent now. */
export const isStartingKey = async (db: Reader, id: string) => (await startStore.startingKeys(db, [id])).length > 0;

/** Those that no longer work. */
export const endedKeys = async (db: Reader, ids: readonly string[]) => await startStore.endedKeys(db, ids);

/** Costs show it on the calls of an agent during its start. */
export const start_tag = 'during:start';

/**
 * Among these keys, those without an activation whose deploy starts their container now. They work until the start ends. This depends on a run
 * and its lease, which are not governed, so nothing keeps the answer.
 */
export async function startingKeys(db: Reader, keys: readonly KeyFacts[]): Promise<ReadonlySet<string>> {
  const ids = new Set(keys.filter((key) => key.agent !== null && !key.is_activated).map(({ id }) => id));
  return new Set(ids.size === 0 ? [] : await startStore.startingKeys(db, [...ids]));
}
