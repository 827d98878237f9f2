// The users of an asset: serving revisions and present configs with a reference pinned to it, and of a model those who call it by name.
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetRef } from '@gantry/contract/refs.ts';
import type { AssetUsers } from '@gantry/contract/assets/registry.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { canRead, decide } from '../../../governance/access/decide.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findAssetsById, type AssetRecord } from '../find.ts';
import { loadAsset } from '../load-asset.ts';
import * as references from './reference-store.ts';

/** Who names a model or a target without a reference that is pinned to it. */
export interface NamedUsers {
  asset_ids: string[];
  /** A guardrail that the organisation requires names it. */
  is_required: boolean;
  /** What a target still has of agents, in the words of its platform. */
  outside?: readonly string[];
}

/** A higher folder provides it. */
export type FindNamedUsers = (
  db: Reader,
  named: { kind: 'model' | 'target'; id: string; name: string },
) => Promise<NamedUsers>;

/** Throws `in_use` with the names of those that the caller may read. */
export async function refuseWhileInUse(db: Reader, caller: Caller, asset: AssetRecord): Promise<void> {
  const users = await namesOf(db, caller, await references.referrers(db, asset.id));
  if (isUsed(users)) throw inUse(asset, users);
}

/**
 * The same for those who only name a model or a target. `force` passes over the callers of a model, and returns them. It also passes over what a target
 * has without an agent.
 */
export async function refuseWhileCalled(
  { db, findNamedUsers }: Parts,
  caller: Caller,
  { asset, force }: { asset: AssetRecord; force: boolean },
): Promise<AssetUsers> {
  const users = await callersOf({ db, findNamedUsers }, caller, asset);
  const { asset_kind, name } = asset;
  if (asset_kind === 'target' && !isUsed(users) && !force) await refuseWithLeftovers({ db, findNamedUsers }, asset);
  if (!isUsed(users) || (force && asset_kind === 'model')) return users;
  if (asset_kind === 'target')
    throw inUse(asset, users, {
      breaks: ', which run on it',
      hint: `Deploy them elsewhere and stop them there: svc target show ${name}`,
    });
  throw inUse(asset, users, {
    breaks: ': their calls would fail',
    hint: `First deploy or set versions without it. To remove it all the same: svc model remove ${name} --force --reason "…"`,
  });
}

/** Without the target nobody could remove them, and at another address nobody would find them. */
async function refuseWithLeftovers({ db, findNamedUsers }: Parts, { id, name, ref }: AssetRecord): Promise<void> {
  const { outside = [] } = await findNamedUsers(db, { kind: 'target', id, name });
  if (outside.length === 0) return;
  const more = outside.length > most_named ? ` and ${outside.length - most_named} more` : '';
  throw new Problem('in_use', {
    detail: `${ref} still has ${outside.slice(0, most_named).join(', ')}${more}, which no agent needs.`,
    hint: `Remove them there: svc server gc. A target that never answers again is removed with: svc target remove ${name} --force --reason "…"`,
    fields: { left: outside.slice(0, 1000) },
  });
}

const most_named = 10;

export async function usedBy(parts: Parts, caller: Caller, ref: AssetRef): Promise<AssetUsers> {
  const asset = await loadAsset(parts.db, ref, caller);
  authorize(caller, 'asset.read', asset);
  const pinned = await namesOf(parts.db, caller, await references.referrers(parts.db, asset.id));
  const calling = await callersOf(parts, caller, asset);
  const found = {
    assets: [...new Set([...pinned.assets, ...calling.assets])].toSorted(),
    settings: calling.settings,
    hidden: pinned.hidden + calling.hidden,
  };
  // The number of hidden ones is for those whose removal it stops.
  return decide(caller, 'asset.delete', asset).allowed ? found : { ...found, hidden: 0 };
}

interface Parts {
  db: Reader;
  findNamedUsers: FindNamedUsers;
}

const isUsed = ({ assets, settings, hidden }: AssetUsers) => assets.length + settings.length + hidden > 0;

function inUse(
  { ref }: AssetRecord,
  { assets, settings, hidden }: AssetUsers,
  { breaks = '', hint }: { breaks?: string; hint?: string } = {},
): Problem {
  const others = hidden === 0 ? [] : [`${hidden} that you may not read`];
  return new Problem('in_use', {
    detail: `${ref} is used by ${[...assets, ...settings, ...others].join(', ')}${breaks}.`,
    ...(hint === undefined ? {} : { hint }),
    fields: { used_by: assets },
  });
}

/** Without those that a reference pins to it as well. */
async function callersOf({ db, findNamedUsers }: Parts, caller: Caller, asset: AssetRecord): Promise<AssetUsers> {
  const { asset_kind: kind } = asset;
  if (kind !== 'model' && kind !== 'target') return { assets: [], settings: [], hidden: 0 };
  const { asset_ids, is_required } = await findNamedUsers(db, { kind, id: asset.id, name: asset.name });
  const pinned = await references.referrers(db, asset.id);
  const named = await namesOf(
    db,
    caller,
    asset_ids.filter((id) => !pinned.includes(id)),
  );
  return { ...named, settings: is_required ? ['required_guardrails'] : [] };
}

async function namesOf(db: Reader, caller: Caller, ids: readonly string[]): Promise<AssetUsers> {
  const users = await findAssetsById(db, ids, caller);
  const assets = users
    .filter((user) => canRead(caller, user))
    .map(({ ref }) => ref)
    .toSorted();
  return { assets, settings: [], hidden: users.length - assets.length };
}

/** Until the transaction ends, nothing new can refer to the asset. Undefined when it is gone. */
export const holdAlone = references.lockAssetAlone;
