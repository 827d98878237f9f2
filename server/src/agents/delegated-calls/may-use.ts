// May the agent use what its version names? The entries of the asset decide, at each call anew.
import { Refusal } from '../../governance/access/authorize.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import { decideUse, type CallingAsset } from '../../governance/access/decide.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetsCalledBy, type AssetRecord } from '../../assets/registry/find.ts';

interface Named {
  asset_id: string;
}

/** Those that it may use, with their assets. */
export async function usableAmong<N extends Named>(
  db: Reader,
  caller: AgentCaller,
  named: readonly N[],
): Promise<{ of: N; asset: AssetRecord }[]> {
  const assets = await assetsOf(db, caller, named);
  return named.flatMap((of) => {
    const asset = assets.get(of.asset_id);
    return asset !== undefined && decideUse(callingAsset(caller), asset).allowed ? [{ of, asset }] : [];
  });
}

/** Undefined for one that is gone. Throws the refusal. */
export async function requireUse(db: Reader, caller: AgentCaller, named: Named): Promise<AssetRecord | undefined> {
  const asset = (await assetsOf(db, caller, [named])).get(named.asset_id);
  if (asset === undefined) return undefined;
  const decision = decideUse(callingAsset(caller), asset);
  if (!decision.allowed) throw new Refusal(decision, 'asset.invoke', asset);
  return asset;
}

function callingAsset({ id, label, name, team }: AgentCaller): CallingAsset {
  return { kind: 'agent', id, ref: label, name, team };
}

async function assetsOf(db: Reader, { id }: AgentCaller, named: readonly Named[]): Promise<Map<string, AssetRecord>> {
  const ids = named.map(({ asset_id }) => asset_id);
  return new Map((await findAssetsCalledBy(db, ids, { id })).map((asset) => [asset.id, asset]));
}
