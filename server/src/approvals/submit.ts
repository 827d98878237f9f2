import { clouds } from '@gantry/contract/agent-yaml.ts';
import type { Approval } from '@gantry/contract/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseRef, parseVersionRef, printVersionRef, type AssetRef } from '@gantry/contract/refs.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { errorCode, unique_violation, type Database } from '../database/database.ts';
import { signedIn } from '../principals/signed-in.ts';
import { findAsset, findVersion, type AssetRecord, type VersionRow } from '../registry/find.ts';
import { loadVersionSummary } from '../registry/load-version-content.ts';
import { readBack } from './show.ts';
import * as store from './store.ts';

export interface Submission {
  /** agents/<name> or agents/<name>@<version> */
  asset: string;
  version?: string | undefined;
  target?: string | undefined;
  message: string;
}

/** Asks for the approval of a version's present content. Asking again for the same answers the request that waits already. */
export async function submit(db: Database, caller: Caller, submission: Submission): Promise<Approval> {
  const user = signedIn(caller);
  const ref = parseSubmission(submission);
  const asset = await findAsset(db, ref.kind, ref.name);
  if (asset === undefined) throw new Problem('not_found');
  const grant = authorize(user, 'approval.submit', asset);
  const version = await findVersion(db, asset.id, ref.version);
  if (version === undefined)
    throw new Problem('not_found', {
      detail: `${asset.ref} has no version ${ref.version}.`,
      hint: 'Push it first: svc submit, in its folder.',
    });
  const content = {
    version_id: version.id,
    digest: version.digest,
    target: await targetOf(db, submission.target, version),
  };
  const pending = await store.newest(db, content, 'pending');
  if (pending !== undefined) return await readBack(db, user, pending.id);
  await refuseApproved(db, asset, version, content);
  const id = await change(db, grant, 'approval.submitted', async (tx, note) => {
    const superseded = await store.closePending(tx, asset.id, 'superseded');
    const made = await store.insert(tx, {
      ...content,
      asset_id: asset.id,
      version: version.version,
      message: submission.message,
      submitted_by: user.id,
    });
    note({
      approval_id: made,
      version: version.version,
      digest: content.digest,
      target: content.target,
      message: submission.message,
      superseded,
    });
    return made;
  }).catch((error: unknown) => {
    // The index that lets one request of an asset be pending.
    if (errorCode(error) === unique_violation)
      throw new Problem('conflict', {
        detail: `Somebody else submitted ${asset.ref} at this moment.`,
        hint: 'Look at it first: svc review list',
      });
    throw error;
  });
  return await readBack(db, user, id);
}

function parseSubmission({ asset, version }: Submission): AssetRef & { version: string } {
  const exact = parseVersionRef(asset);
  const ref = exact ?? parseRef(asset);
  if (ref === undefined)
    throw new Problem('bad_reference', { detail: `${JSON.stringify(asset)} is not an asset reference.` });
  if (exact !== undefined && version !== undefined && version !== exact.version) {
    throw new Problem('bad_reference', {
      detail: `${asset} and version ${version} are not the same version.`,
      hint: 'Name the version once.',
    });
  }
  return { kind: ref.kind, name: ref.name, version: exact?.version ?? version ?? 'latest' };
}

async function targetOf(db: Database, asked: string | undefined, version: VersionRow): Promise<string> {
  const { config } = await loadVersionSummary(db, version.id);
  // agentConfig accepted `deploy` before it was stored; assets of other kinds have no target of their own.
  const own = (config.deploy as { cloud?: string } | undefined)?.cloud;
  const target = asked ?? own ?? 'local';
  const known: readonly string[] = clouds;
  if (known.includes(target)) return target;
  throw new Problem('invalid', {
    detail: `There is no target ${JSON.stringify(target)}.`,
    errors: [{ pointer: '/target', message: `must be one of ${clouds.join(', ')}` }],
  });
}

async function refuseApproved(
  db: Database,
  asset: AssetRecord,
  version: VersionRow,
  content: store.Content,
): Promise<void> {
  const approved = await store.newest(db, content, 'approved');
  if (approved === undefined) return;
  const ref = printVersionRef({ kind: asset.asset_kind, name: asset.name, version: version.version });
  throw new Problem('conflict', {
    detail: `${ref} is approved for ${content.target} already, by ${approved.decider ?? 'an admin'}.`,
    hint: `Deploy it: svc deploy ${ref}`,
    fields: { approval_id: approved.id },
  });
}
