import { LRUCache } from 'lru-cache';
import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import type { Reader } from '../../ground/database/database.ts';
import { loadVersionSummary } from '../../assets/registry/versions/load-version-content.ts';
import { memberRef } from './members/member-ref.ts';

export interface Orchestration {
  config: OrchestrationConfig;
  /** The agents that the push found, by agents/<name>, also of a member with a version. */
  asset_ids: ReadonlyMap<string, string>;
}

// A pushed version has final content.
const read = new LRUCache<string, Orchestration>({ max: 1000 });

export async function loadOrchestration(db: Reader, version_id: string): Promise<Orchestration> {
  const known = read.get(version_id);
  if (known !== undefined) return known;
  const { config, pins } = await loadVersionSummary(db, version_id);
  const orchestration = {
    config: config as unknown as OrchestrationConfig, // a push stores nothing else under this kind
    asset_ids: new Map(pins.map((pin) => [memberRef(pin), pin.asset_id])),
  };
  read.set(version_id, orchestration);
  return orchestration;
}
