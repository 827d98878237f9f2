import { resourceLimits } from '@gantry/project/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { approvalFor, beyondApproval, type CoveredNow, type PlanWish } from '../../approvals/approval-for.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { insertEvent } from '../event-store.ts';
import * as instanceStore from '../instance-store.ts';
import type { DeployParts } from '../parts.ts';
import { planFor } from '../plan-for.ts';
import * as store from '../store.ts';
import type { Instance } from '../targets/target.ts';
import type { Lease } from './agent-leases.ts';
import { alertCrashLoop } from './crash-loop.ts';
import { findNoRoom } from './no-room.ts';
import { restartContainer } from './restart-container.ts';

/**
 * As restartContainer, for the keeper. A planned instance (wake.ts) also needs the approval of its revision, and room at its target. The
 * problem of a failed start is stored for the calls that wait for it. The end of the start is on the agent's timeline.
 */
export async function startAgain(
  parts: DeployParts,
  row: instanceStore.InstanceRow,
  seen: Instance,
  lease: Lease,
  why?: string,
): Promise<void> {
  const { id, n, agent_id, target, revision_id } = row;
  const about = { agent_id, target, revision_id, instance: { id, n } };
  const began = performance.now();
  try {
    if (row.place === null) await requireFirstStart(parts, row, lease.signal);
    // The reason of a planned instance is stored with it.
    await restartContainer(parts, row, seen, lease, row.place === null ? null : why);
    const seconds = Math.round((performance.now() - began) / 1000);
    await insertEvent(parts.db, { ...about, kind: 'started', detail: `It answers after ${seconds} s.` });
  } catch (error) {
    if (error instanceof Problem && !lease.lost.aborted) {
      await instanceStore.setProblem(parts.db, id, error.code);
      await insertEvent(parts.db, { ...about, kind: 'start_failed', reason: error.code, detail: error.detail });
      await alertCrashLoop(parts.db, row);
    }
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
    await instanceStore.setStarting(db, id, { last_exit: detail, is_restart: false });
    throw new Problem(code, { detail });
  };
  const revision = await store.revision(db, revision_id);
  if (revision === undefined) throw new Error(`revision ${revision_id} is gone`);
  const { approval_id, digest, version } = revision;
  const config = await loadAgentConfig(db, version_id);
  const content = { version_id, digest, target };
  if (approval_id !== null) {
    if ((await approvalFor(db, content, 'what runs')) === undefined)
      await refuse('approval_required', `The approval of agents/${agent}@${version} was revoked.`);
    const beyond = await beyondApproval(db, content, await formOfStart(parts, { revision_id, config, ...content }));
    if (beyond.length > 0)
      await refuse(
        'approval_required',
        `agents/${agent}@${version} would get more on ${target} than its approval covers: ${beyond.join(', ')}.`,
      );
  }
  const bytes = resourceLimits(config).memory_bytes;
  const crowded = await findNoRoom(parts, { agent_id, target, bytes }, signal);
  if (crowded !== undefined) await refuse('no_room', crowded);
}

/** A platform gives a further replica what the others have. Without others it describes the revision anew. */
async function formOfStart(
  { db, targets }: DeployParts,
  { revision_id, ...wish }: PlanWish & { revision_id: string },
): Promise<CoveredNow> {
  const others = await instanceStore.instancesOfRevision(db, revision_id);
  if (others.some(({ place }) => place !== null)) return 'what runs';
  return (await planFor(targets)(db, wish))?.covers ?? null;
}
