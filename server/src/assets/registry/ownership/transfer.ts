// A transfer changes the team and the owner. Id, name, versions and manual grants stay. Must never happen: an asset without an
// administrator, or with an owner who could not have created it in its team.
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetRef } from '@gantry/contract/refs.ts';
import type { AssetState } from '@gantry/contract/assets/registry.ts';
import { defaultEntries } from '@gantry/contract/roles.ts';
import { entriesOf } from '../../../governance/access/acl.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../../governance/access/change.ts';
import type { TeamSubject } from '../../../governance/access/subject.ts';
import { shownVisibility } from '../../../governance/access/visibility.ts';
import type { Database } from '../../../ground/database/database.ts';
import { findUser, isInTeam } from '../../../people/principals/find.ts';
import { loadTeam } from '../../../people/principals/load-team.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { giveActions, takeActions } from '../principals/entries.ts';
import { searchWords, type AssetRecord } from '../asset.ts';
import type { CloseRequests } from '../assets/close-requests.ts';
import { authorizeBilling } from '../assets/model-billing.ts';
import { authorizeTargetChange } from '../assets/target-change.ts';
import { requireFreeNames } from '../assets/model-names.ts';
import * as contents from '../content-store.ts';
import { findAssetById, findVersion } from '../find.ts';
import { holdAsset, loadAsset } from '../load-asset.ts';
import { moveRights } from './move-ownership.ts';
import { assetStateRecord } from '../assets/records.ts';
import * as store from '../store.ts';

export interface Receiver {
  team?: string | undefined;
  /** E-mail. */
  owner?: string | undefined;
}

/**
 * Ends the gateway keys of an agent, for which its former team pays, and issues those of its running revisions anew. Returns the names of
 * the ended keys.
 */
export type MoveKeys = (
  tx: GovernedTx,
  agent: { agent_id: string; name: string; team_id: string; created_by: string },
) => Promise<string[]>;

/** A transfer to the present team and owner changes nothing. */
export async function transfer(
  { db, closeRequests, moveKeys }: { db: Database; closeRequests: CloseRequests; moveKeys: MoveKeys },
  caller: Caller,
  ref: AssetRef,
  to: Receiver,
): Promise<AssetState> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, ref, caller);
  const grant = authorize(user, 'asset.transfer', asset);
  authorizeTargetChange(user, ref.kind);
  const team = await receivingTeam(db, user, asset, to.team);
  const owner = await receivingOwner(db, user, asset, team, to.owner);
  if (team.id === asset.team.id && owner.id === asset.owner_id) return assetStateRecord(asset);
  await change(db, grant, 'asset.transferred', async (tx, note) => {
    await holdUnchanged(tx, asset);
    const newest = await findVersion(tx, asset.id, 'latest');
    if (newest !== undefined && team.id !== asset.team.id) {
      const config = await contents.config(tx, newest.digest);
      authorizeBilling(user, team, { kind: ref.kind, config });
      if (ref.kind === 'model') await requireFreeNames(tx, user, { ...asset, team, config });
    }
    await moveEntries(tx, asset, team.id, owner.id);
    const requests_closed = await closeRequests(tx, asset.id, 'superseded');
    await store.setBelonging(tx, asset.id, {
      team_id: team.id,
      owner_id: owner.id,
      visibility: shownVisibility(await entriesOf(tx, asset.id), team.id),
      search: searchWords({ ...asset, team: team.name }),
    });
    const agent = { agent_id: asset.id, name: asset.name, team_id: team.id, created_by: user.id };
    const keys_ended = team.id === asset.team.id ? [] : await moveKeys(tx, agent);
    note({
      before: { team: asset.team.name, owner: asset.owner },
      after: { team: team.name, owner: owner.email },
      requests_closed,
      keys_ended,
    });
  });
  return assetStateRecord((await findAssetById(db, asset.id, caller)) ?? asset);
}

async function receivingTeam(
  db: Database,
  user: SignedInCaller,
  asset: AssetRecord,
  name: string | undefined,
): Promise<TeamSubject> {
  const kept: TeamSubject = { kind: 'team', ...asset.team };
  if (name === undefined || name === asset.team.name) return kept;
  const team = await loadTeam(db, name);
  authorize(user, 'asset.create', team);
  return team;
}

// The same rule as for a new asset: the caller, or an active member of the team.
async function receivingOwner(
  db: Database,
  user: SignedInCaller,
  asset: AssetRecord,
  team: TeamSubject,
  owner: string | undefined,
): Promise<{ id: string; email: string }> {
  const email = owner ?? asset.owner;
  const found = await findUser(db, email);
  if (found?.active === true && (found.id === user.id || (await isInTeam(db, team.id, found.id)))) return found;
  throw new Problem('invalid', {
    detail: `${email} is not an active member of team:${team.name}, and only a member can own its assets.`,
    hint:
      owner === undefined
        ? `Name a member as the owner: --owner <e-mail>`
        : `Add them first: svc team add ${team.name} user:${email}`,
    errors: [{ pointer: '/owner', message: `must be an active member of team:${team.name}` }],
  });
}

async function holdUnchanged(tx: GovernedTx, decided: AssetRecord): Promise<void> {
  const asset = await holdAsset(tx, decided.id, null);
  if (asset.team.id !== decided.team.id || asset.owner_id !== decided.owner_id)
    throw new Problem('conflict', {
      detail: `Another user has just transferred ${asset.ref} to ${asset.owner} in team:${asset.team.name}.`,
      hint: 'Check the new owner, then transfer it again if needed.',
    });
}

// The entries of the former team and owner are removed; further grants stay.
async function moveEntries(tx: GovernedTx, asset: AssetRecord, team_id: string, owner_id: string): Promise<void> {
  if (team_id !== asset.team.id) {
    const old = { principal_type: 'team', principal_id: asset.team.id } as const;
    const taken = await takeActions(tx, asset.id, old, defaultEntries.team);
    await giveActions(tx, asset.id, { principal_type: 'team', principal_id: team_id }, taken);
  }
  if (owner_id !== asset.owner_id)
    await moveRights(tx, asset.id, { from: asset.owner_id, to: owner_id, taken: defaultEntries.owner });
}
