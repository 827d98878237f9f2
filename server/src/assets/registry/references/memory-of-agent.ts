// The memory config of an agent, as the push has pinned it. A version without one has the defaults, and the service's own rules.
import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import type { MemoryConfig } from '@gantry/project/asset-config/memory-config.ts';
import { modelProvider, type UpstreamKind } from '@gantry/project/model-providers.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Pin } from '../content.ts';
import * as contents from '../content-store.ts';

export interface PinnedMemory {
  /** memory-configs/<name> */
  ref: string;
  asset_id: string;
  config: MemoryConfig;
  /** The format of the model that summarises. Undefined without one. */
  model_format: UpstreamKind | undefined;
}

/** Of the content of an agent's version. Undefined when its agent.yaml names none. */
export async function memoryOfAgent(db: Reader, digest: string): Promise<PinnedMemory | undefined> {
  return await pinnedMemory(db, await contents.pinsOf(db, digest));
}

export async function pinnedMemory(db: Reader, pins: readonly Pin[]): Promise<PinnedMemory | undefined> {
  const pin = pins.find(({ ref }) => parseRef(ref)?.kind === 'memory-config');
  if (pin === undefined) return undefined;
  const { ref, asset_id, version } = pin;
  const stored = JSON.stringify(await contents.config(db, pin.digest));
  const { config } = parseAssetConfig('memory-config', stored, ref);
  // A push and a deploy refuse a config that is no longer accepted.
  if (config === undefined) throw new Error(`the config of ${ref}@${version} is not accepted`);
  return { ref, asset_id, config, model_format: await formatOf(db, pin.digest, config) };
}

/** Of the model as the memory config has pinned it. */
async function formatOf(db: Reader, digest: string, { model }: MemoryConfig): Promise<UpstreamKind | undefined> {
  const pin = model && (await contents.pinsOf(db, digest)).find(({ ref }) => ref === model.ref);
  if (pin === undefined) return undefined;
  const { provider } = await contents.config(db, pin.digest);
  return modelProvider(String(provider)).kind;
}
