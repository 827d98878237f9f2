// The subagents of a version, as its push has pinned them. An agent calls its subagents, and no other agent.
import { parseAnyRef, parseVersionRef } from '@gantry/contract/refs.ts';
import { LRUCache } from 'lru-cache';
import type { Reader } from '../../../ground/database/database.ts';
import { decideUse, type CallingAsset } from '../../../governance/access/decide.ts';
import { isDeployedAlone, type Pin } from '../../../assets/registry/content.ts';
import { findAssetsCalledBy, type AssetRecord } from '../../../assets/registry/find.ts';
import { loadVersionSummary } from '../../../assets/registry/versions/load-version-content.ts';

export { callingRevision, startingRevision } from '../store.ts';

export interface Subagent {
  /** agents/<name>, with the version that the file names */
  ref: string;
  name: string;
  asset_id: string;
  /** Undefined: any version. */
  version: string | undefined;
}

// A deployed version has final content.
const read = new LRUCache<string, readonly Subagent[]>({ max: 10_000 });

export async function subagentsOf(db: Reader, version_id: string): Promise<readonly Subagent[]> {
  const known = read.get(version_id);
  if (known !== undefined) return known;
  const { pins } = await loadVersionSummary(db, version_id);
  const found = pins.filter(isDeployedAlone).flatMap(({ ref, asset_id }) => {
    const name = parseAnyRef(ref)?.name;
    return name === undefined ? [] : [{ ref, name, asset_id, version: parseVersionRef(ref)?.version }];
  });
  read.set(version_id, found);
  return found;
}

/** A sentence for each subagent that would refuse the calls of the agent now. */
export async function refusingSubagents(
  db: Reader,
  { id, ref, name, team }: AssetRecord,
  pins: readonly Pin[],
): Promise<string[]> {
  const by: CallingAsset = { kind: 'agent', id, ref, name, team };
  const ids = pins.filter(isDeployedAlone).map(({ asset_id }) => asset_id);
  const subagents = await findAssetsCalledBy(db, ids, by);
  return subagents.flatMap((subagent) => {
    const use = decideUse(by, subagent);
    return use.allowed ? [] : `${use.reason} It refuses its calls. ${use.hint ?? ''}`.trim();
  });
}
