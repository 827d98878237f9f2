// The move of a label to another version of its prompt. It is decided as a deploy is: the role deployer, access, and an approval of exactly this
// text, which admins need only where a setting says so. Every agent that names the label reads the new text with its next read.
import type { PromptLabel } from '@gantry/contract/agents/prompts.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { DeploySubject } from '../../governance/access/subject.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findVersionById, type AssetRecord, type VersionRow } from '../../assets/registry/find.ts';
import { holdAsset, loadAsset } from '../../assets/registry/load-asset.ts';
import { insertMove, labelNow, labelsOf, moveOf, type LabelMove } from '../../assets/registry/prompts/labels.ts';
import { promptOfDigest } from '../../assets/registry/prompts/prompts-of-agent.ts';
import { subjectWithoutContainer } from '../deploy/deployments/subject-without-container.ts';
import { findPromptVersion } from './find-prompt-version.ts';
import { printLabel } from './print-label.ts';

/** The most labels of one prompt. */
const most_labels = 50;

export interface Move {
  name: string;
  label: string;
  /** Undefined: back to the version before the last move. */
  version?: string | undefined;
  /** The version that the label means now, as the caller has seen it. */
  from?: string | undefined;
}

/** Throws `not_found`, the refusal, `approval_required`, and `conflict` when there is nothing to move or undo. */
export async function moveLabel(db: Database, caller: Caller, move: Move): Promise<PromptLabel> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'prompt', name: move.name }, caller);
  // Who may not read the prompt learns nothing of its versions.
  authorize(user, 'asset.read', asset);
  const grant = authorize(user, 'prompt.move_label', await subjectOf(db, asset, await destinationOf(db, asset, move)));
  await change(db, grant, 'prompt.label_moved', async (tx, note) => {
    // One move at a time. The rights, the approval and the label may have changed since the decision.
    const held = await holdAsset(tx, asset.id, user);
    const { to, now } = await destinationOf(tx, held, move);
    const subject = await subjectOf(tx, held, { to, now });
    authorize(user, 'prompt.move_label', subject);
    requireMove(held, move, { to, now });
    if (now === undefined && (await labelsOf(tx, asset.id)).length >= most_labels)
      throw new Problem('conflict', { detail: `${asset.ref} has ${most_labels} labels, which is the most.` });
    const approval_id = subject.gate.approval_id ?? null;
    const { label } = move;
    await insertMove(tx, {
      asset_id: asset.id,
      label,
      number: (now?.number ?? 0) + 1,
      version_id: to.id,
      approval_id,
      moved_by: nameOf(user),
    });
    const before = now?.version ?? null;
    note({ label, version: to.version, digest: to.digest, before, approval_id, undo: move.version === undefined });
  });
  const moved = await labelNow(db, { asset_id: asset.id, label: move.label });
  if (moved === undefined) throw new Error(`the label ${move.label} is gone`);
  return printLabel(moved);
}

interface Destination {
  to: Pick<VersionRow, 'id' | 'version' | 'digest'>;
  now: LabelMove | undefined;
}

async function destinationOf(db: Reader, asset: AssetRecord, { label, version }: Move): Promise<Destination> {
  const now = await labelNow(db, { asset_id: asset.id, label });
  if (version !== undefined) return { to: await findPromptVersion(db, asset, version), now };
  const before = now && (await moveOf(db, { asset_id: asset.id, label, number: now.number - 1 }));
  if (before === undefined)
    throw new Problem('conflict', {
      detail: `The label ${label} of ${asset.ref} was ${now === undefined ? 'never set' : `set once, to ${now.version}`}, so there is no move to undo.`,
      hint: `Set it: svc prompt label ${asset.name} ${label} <version>`,
    });
  const { version_id: id, ...found } = before;
  return { to: { ...found, id }, now };
}

async function subjectOf(db: Reader, asset: AssetRecord, { to, now }: Destination): Promise<DeploySubject> {
  const row = await findVersionById(db, to.id);
  if (row === undefined) throw new Problem('not_found', { detail: `${asset.ref}@${to.version} no longer exists.` });
  const subject = await subjectWithoutContainer(db, asset, row);
  // Else an admin could leave a text that needs approvals for one that says nothing of them.
  const configs = await Promise.all([to.digest, now?.digest ?? to.digest].map((digest) => promptOfDigest(db, digest)));
  const version_requires_approval = configs.some((config) => config?.require_approval === true);
  return { ...subject, gate: { ...subject.gate, version: to.version, version_requires_approval } };
}

function requireMove({ ref, name }: AssetRecord, { label, from }: Move, { to, now }: Destination) {
  if (from !== undefined && from !== now?.version)
    throw new Problem('conflict', {
      detail: `The label ${label} of ${ref} means ${now?.version ?? 'no version'} now, not ${from}.`,
      hint: `See its moves: svc prompt labels ${name}`,
    });
  if (now?.version_id === to.id)
    throw new Problem('conflict', {
      detail: `The label ${label} means ${printVersionRef({ kind: 'prompt', name, version: to.version })} already.`,
      hint: `See its moves: svc prompt labels ${name}`,
    });
}

const nameOf = (user: SignedInCaller): string => (user.kind === 'user' ? user.email : user.label);
