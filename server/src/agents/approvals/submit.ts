import { targetFlag, targetOf, type AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { Approval } from '@gantry/contract/agents/approvals.ts';
import type { Covered } from '@gantry/contract/agents/target-plan.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseVersionRef, printVersionRef, type AssetRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findVersion, type AssetRecord, type VersionRow } from '../../assets/registry/find.ts';
import { holdAsset, loadAsset } from '../../assets/registry/load-asset.ts';
import { readRef } from '../../assets/registry/assets/read-ref.ts';
import { loadAgentConfig } from '../../assets/registry/versions/load-version-content.ts';
import { meantTarget } from '../../assets/targets/find-targets.ts';
import { no_target } from './approval-for.ts';
import { coveredNow, digestOfForm, notCovered, type CoveredNow, type PlanFor } from './covers.ts';
import { expireOverdue } from './expire.ts';
import { readBack } from './load-request.ts';
import * as store from './store.ts';
import { whyUnknownTarget } from './unknown-target.ts';

export interface Submission {
  /** agents/<name> or agents/<name>@<version> */
  asset: string;
  version?: string | undefined;
  target?: string | undefined;
  message: string;
}

export interface SubmitParts {
  db: Database;
  /** The names of the service's targets. */
  targets: () => Promise<readonly string[]>;
  planFor: PlanFor;
}

/** Requests the approval of a version's current content. A repeated call returns the pending request. */
export async function submit(
  { db, targets, planFor }: SubmitParts,
  caller: Caller,
  submission: Submission,
): Promise<Approval> {
  const user = signedIn(caller);
  const ref = parseSubmission(submission);
  const asset = await loadAsset(db, ref, caller);
  const grant = authorize(user, 'approval.submit', asset);
  const version = await findVersion(db, asset.id, ref.version);
  if (version === undefined)
    throw new Problem('not_found', {
      detail: `${asset.ref} has no version ${ref.version}.`,
      hint: 'Push it first: run svc submit in its folder.',
    });
  const { own_target, place, approvals_asked } = await requirementsOf(db, asset, version);
  const target = submission.target === undefined ? own_target : await meantTarget(db, submission.target, place);
  if (target !== own_target) refuseTarget(await targets(), asset, target);
  const content = { version_id: version.id, digest: version.digest, target };
  const covers = await coveredNow(db, planFor, asset, content);
  await expireOverdue(db, { asset_id: asset.id });
  const id = await change(db, grant, 'approval.submitted', async (tx, note) => {
    // The lock puts submits in sequence: two simultaneous ones for the same content get the same request.
    await store.holdSubmissions(tx, asset.id);
    // A transfer since the decision may have changed the rights.
    authorize(user, 'approval.submit', await holdAsset(tx, asset.id, user));
    const pending = await store.newest(tx, content, 'pending');
    if (pending !== undefined && isSameForm(pending.covers, covers)) return pending.id;
    await refuseApproved(tx, asset, version, { ...content, covers });
    const superseded = await store.closePending(tx, asset.id, 'superseded');
    const made = await store.insert(tx, {
      ...content,
      asset_id: asset.id,
      version: version.version,
      message: submission.message,
      approvals_asked,
      submitted_by: user.id,
      covers,
    });
    note({
      approval_id: made,
      version: version.version,
      digest: content.digest,
      target: content.target,
      covers: digestOfForm(covers),
      message: submission.message,
      superseded,
    });
    return made;
  });
  return await readBack(db, user, id);
}

function parseSubmission({ asset, version }: Submission): AssetRef & { version: string } {
  const exact = parseVersionRef(asset);
  const ref = exact ?? readRef(asset);
  if (exact !== undefined && version !== undefined && version !== exact.version) {
    throw new Problem('bad_reference', {
      detail: `${asset} and version ${version} are not the same version.`,
      hint: 'Give the version only once.',
    });
  }
  return { kind: ref.kind, name: ref.name, version: exact?.version ?? version ?? 'latest' };
}

/** The target of the version's own file, and the number of approvals that the content requires. */
async function requirementsOf(
  db: Reader,
  asset: AssetRecord,
  version: VersionRow,
): Promise<{ own_target: string; place: AgentConfig['deploy']; approvals_asked: number }> {
  if (asset.asset_kind !== 'agent') return { own_target: no_target, place: undefined, approvals_asked: 1 };
  const config = await loadAgentConfig(db, version.id);
  return {
    own_target: await meantTarget(db, targetOf(config), config.deploy),
    place: config.deploy,
    approvals_asked: config.access?.approvals_required ?? 1,
  };
}

/** Only agents have a target. The one of the version's own file passes, because its deploy decides about it. */
function refuseTarget(targets: readonly string[], asset: AssetRecord, target: string): void {
  if (asset.asset_kind !== 'agent')
    throw wrongTarget(`Only agents have a target: leave it out for ${asset.ref}.`, 'must be absent');
  const why = whyUnknownTarget(target, targets);
  if (why !== undefined) throw wrongTarget(why, `must be one of ${targets.join(', ')}`);
}

/** Throws `conflict` when the newest version is already approved. */
export async function refuseApprovedNewest(db: Reader, asset: AssetRecord): Promise<void> {
  const version = await findVersion(db, asset.id, 'latest');
  if (version === undefined) return;
  const { own_target: target } = await requirementsOf(db, asset, version);
  // A copy in memory asks this, and the form of today is in none. So it refuses only what no form can make wider, and the request decides the rest.
  await refuseApproved(db, asset, version, { version_id: version.id, digest: version.digest, target, covers: null });
}

/** A request with a form says what is approved. One from before there were forms does not. */
function isSameForm(asked: Covered | null, now: Covered | null): boolean {
  return (asked === null) === (now === null) && notCovered(asked, now).length === 0;
}

function wrongTarget(detail: string, message: string): Problem {
  return new Problem('invalid', { detail, errors: [{ pointer: '/target', message }] });
}

async function refuseApproved(
  db: Reader,
  asset: AssetRecord,
  version: VersionRow,
  { covers, ...content }: store.Content & { covers: CoveredNow },
): Promise<void> {
  const approved = await store.newest(db, content, 'approved');
  if (approved === undefined || notCovered(approved.covers, covers).length > 0) return;
  const ref = printVersionRef({ kind: asset.asset_kind, name: asset.name, version: version.version });
  const by = approved.decider ?? 'an admin';
  const deployed = asset.asset_kind === 'agent';
  throw new Problem('conflict', {
    detail: `${ref} is already approved${deployed ? ` for ${content.target}` : ''}, by ${by}.`,
    hint: deployed
      ? `Deploy it: svc deploy ${ref}${targetFlag(content.target)}`
      : asset.asset_kind === 'prompt'
        ? `Move a label to it: svc prompt label ${asset.name} <label> ${version.version}`
        : `See it: svc registry ${asset.asset_kind} show ${asset.name}`,
    fields: { approval_id: approved.id },
  });
}
