// A deploy of an orchestration: the decision, the approval of exactly this content, and the check of its members. It has no container, so one
// governed change makes the version serve.
import type { DeployedOrchestration, MemberFault } from '@gantry/contract/agents/orchestrations.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Database } from '../../ground/database/database.ts';
import { subjectWithoutContainer } from '../deploy/deployments/subject-without-container.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findVersionById } from '../../assets/registry/find.ts';
import { holdAsset } from '../../assets/registry/load-asset.ts';
import { holdReferences } from '../../assets/registry/references/pin-references.ts';
import { finalise, setServing } from '../../assets/registry/versions/version.ts';
import { askedVersion, checkMembers } from './check/check-members.ts';

export async function deployOrchestration(
  db: Database,
  caller: Caller,
  asked: { name: string; version?: string | undefined },
): Promise<DeployedOrchestration> {
  const user = signedIn(caller);
  const { asset, version, ref } = await askedVersion(db, user, asked);
  const grant = authorize(user, 'agent.deploy', await subjectWithoutContainer(db, asset, version));
  const { faults, notices } = await checkMembers(db, asset, version);
  requireReady(ref, faults);
  return await change(db, grant, 'orchestration.deployed', async (tx, note) => {
    await holdReferences(tx, version);
    // The rights, the approval and the members may have changed since the decision.
    const held = await holdAsset(tx, asset.id, user);
    const subject = await subjectWithoutContainer(tx, held, version);
    authorize(user, 'agent.deploy', subject);
    if (!(await finalise(tx, { version_id: version.id, digest: version.digest })))
      throw new Problem('conflict', { detail: `${ref} has other content now.` });
    const before = held.serving_version_id === null ? undefined : await findVersionById(tx, held.serving_version_id);
    await setServing(tx, asset.id, version.id);
    const approval_id = subject.gate.approval_id ?? null;
    const previous_version = before?.version ?? null;
    note({ version: version.version, digest: version.digest, before: previous_version, approval_id });
    const path = `/orchestrations/${asset.name}`;
    return { ref, digest: version.digest, path, approval_id, previous_version, notices };
  });
}

/** Throws `members_not_ready`. */
export function requireReady(ref: string, faults: readonly MemberFault[]): void {
  if (faults.length === 0) return;
  throw new Problem('members_not_ready', {
    detail: `${faults.length} of the members of ${ref} cannot be called: ${faults.map(({ message }) => message).join(' ')}`,
    fields: { members: faults },
    ...(faults[0]?.command && { hint: faults[0].command }),
  });
}
