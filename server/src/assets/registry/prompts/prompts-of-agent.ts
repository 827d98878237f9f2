// The prompts of a version of an agent, by the keys of its agent.yaml. The push has pinned the text of each that has no label.
import { LRUCache } from 'lru-cache';
import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import type { PromptConfig } from '@gantry/project/asset-config/prompt.ts';
import { parseAnyRef, parseLabelRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as contents from '../content-store.ts';
import { agentConfigOf, loadVersionSummary } from '../versions/load-version-content.ts';

export interface PromptOfAgent {
  key: string;
  name: string;
  asset_id: string;
  label: string | null;
  /** Of a label, what it meant at the push. */
  version: string;
  digest: string;
}

// A deployed version has final content.
const read = new LRUCache<string, readonly PromptOfAgent[]>({ max: 10_000 });

export async function promptsOfAgent(db: Reader, version_id: string): Promise<readonly PromptOfAgent[]> {
  const known = read.get(version_id);
  if (known !== undefined) return known;
  const content = await loadVersionSummary(db, version_id);
  const { prompts = {} } = agentConfigOf(content);
  const found = Object.entries(prompts).flatMap(([key, { ref }]): PromptOfAgent[] => {
    const name = parseAnyRef(ref)?.name;
    const pin = content.pins.find((one) => one.ref === ref);
    if (name === undefined || pin === undefined) return [];
    const { asset_id, version, digest } = pin;
    return [{ key, name, asset_id, label: parseLabelRef(ref)?.label ?? null, version, digest }];
  });
  read.set(version_id, found);
  return found;
}

// A content never changes under its digest.
const texts = new LRUCache<string, PromptConfig>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: (config) => JSON.stringify(config).length,
});

/** Undefined for one that was stored under looser rules. */
export async function promptOfDigest(db: Reader, digest: string): Promise<PromptConfig | undefined> {
  const known = texts.get(digest);
  if (known !== undefined) return known;
  const { config } = parseAssetConfig('prompt', JSON.stringify(await contents.config(db, digest)), 'config');
  if (config !== undefined) texts.set(digest, config);
  return config;
}
