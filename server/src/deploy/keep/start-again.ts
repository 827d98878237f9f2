import { resourceLimits } from '@gantry/contract/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { approvalFor } from '../../approvals/approval-for.ts';
import { loadAgentConfig } from '../../registry/versions/load-version-content.ts';
import * as instanceStore from '../instance-store.ts';
import type { DeployParts } from '../parts.ts';
import * as store from '../store.ts';
import type { Instance } from '../targets/target.ts';
import type { Lease } from './agent-leases.ts';
import { findNoRoom } from './no-room.ts';
import { restartContainer } from './restart-container.ts';

/**
 * As restartContainer, for the keeper. A planned instance (wake.ts) also needs the approval of its revision, and room at its target. The
 * problem of a failed start is stored for the calls that wait for it.
 */
export async function startAgain(
  parts: DeployParts,
  row: instanceStore.InstanceRow,
  seen: Instance,
  lease: Lease,
): Promise<void> {
  try {
    if (row.place === null) await requireFirstStart(parts, row, lease.signal);
    // The reason of a planned instance is stored with it.
    if (row.place === null) await restartContainer(parts, row, seen, lease, null);
    else await restartContainer(parts, row, seen, lease);
  } catch (error) {
    if (error instanceof Problem && !lease.lost.aborted) await instanceStore.setProblem(parts.db, row.id, error.code);
    throw error;
  }
}

async function requireFirstStart(
  parts: DeployParts,
  { id, agent_id, agent, revision_id, version_id, target }: instanceStore.InstanceRow,
  signal: AbortSignal,
): Promise<void> {
  const { db } = parts;
  const refuse = async (code: 'approval_required' | 'no_room', detail: string): Promise<never> => {
    await instanceStore.setStarting(db, id, detail);
    throw new Problem(code, { detail });
  };
  const revision = await store.revision(db, revision_id);
  if (revision === undefined) throw new Error(`revision ${revision_id} is gone`);
  const { approval_id, digest, version } = revision;
  if (approval_id !== null && (await approvalFor(db, { version_id, digest, target })) === undefined)
    await refuse('approval_required', `The approval of agents/${agent}@${version} was revoked.`);
  const bytes = resourceLimits(await loadAgentConfig(db, version_id)).memory_bytes;
  const crowded = await findNoRoom(parts, { agent_id, target, bytes }, signal);
  if (crowded !== undefined) await refuse('no_room', crowded);
}
