// Restarts the container of an instance, or makes a new one when it is gone.
import { Problem } from '@gantry/contract/problems.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { requireSecrets } from '../../../assets/secrets/delivery.ts';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { ensureImage } from '../build/ensure-image.ts';
import type { Lease } from './agent-leases.ts';
import type { NthInstance } from '../instance-name.ts';
import type { DeployParts, TargetName } from '../parts.ts';
import { lost, noteLost } from '../log/keep-log.ts';
import { placeInput, startContainer } from '../start-container.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';
import type { Instance, Place } from '../targets/target.ts';

// Higher than every fence of the deploy's run, which has ended. The fence of the lease is added, so the place of a later holder stays.
const fence_after_deploy = 2 ** 31;

/**
 * Throws `secret_missing`, `image_missing`, `start_failed`, `health_check_failed`, `out_of_memory` or `engine_unavailable`. A container that
 * does not become ready is stopped.
 * `why` is the stored reason; its default is the container's own exit.
 */
export async function restartContainer(
  parts: DeployParts,
  row: instanceStore.InstanceRow,
  seen: Instance,
  lease: Lease,
  why: string | null = describeExit(seen),
): Promise<void> {
  const { db } = parts;
  const { signal } = lease;
  const { id, n, revision_id, agent_id, target: name } = row;
  const target = await parts.targets.find(name);
  const revision = await store.revision(db, revision_id);
  if (revision === undefined) throw new Error(`revision ${revision_id} is gone`);
  const config = await loadAgentConfig(db, revision.version_id);
  await requireSecrets(db, { agent_id, config }).catch(async (error: unknown) => {
    if (error instanceof Problem)
      await instanceStore.setStarting(db, id, { last_exit: error.detail, is_restart: false });
    throw error;
  });
  await instanceStore.setStarting(db, id, {
    last_exit: why,
    is_restart: row.place !== null && seen.state !== 'running',
  });
  if (seen.state === 'gone') await noteLost(db, row, lost.removed);
  const place =
    seen.state === 'gone' || row.place === null
      ? await provisionAgain(
          parts,
          { id, n, revision_id, target: name, image: await ensureImage(parts, revision, signal), config },
          lease,
        )
      : row.place;
  const { key_id } = revision;
  try {
    const { url } = await startContainer(parts, target, {
      instance_id: id,
      revision_id,
      agent_id,
      digest: revision.digest,
      config,
      place,
      key_id,
      signal,
    });
    await instanceStore.setStarted(db, { id, url, key_id });
  } catch (error) {
    // Then the container is another process's.
    if (!lease.lost.aborted) await target.stop(place, { grace_seconds: 2 }, AbortSignal.timeout(60_000));
    throw error;
  }
}

async function provisionAgain(
  parts: DeployParts,
  { target: name, ...instance }: NthInstance & { id: string; target: TargetName; image: string; config: AgentConfig },
  { fence, signal }: Lease,
): Promise<Place> {
  const target = await parts.targets.find(name);
  const image = await target.deliver(instance.image, signal);
  const input = await placeInput(parts.db, { ...instance, image }, fence_after_deploy + fence);
  const { place } = await target.provision(input, signal);
  // Before the start, so that the place of a failed start is found and removed.
  await instanceStore.setPlace(parts.db, instance.id, { place, egress: input.egress ?? null });
  return place;
}

/** Null while the container runs. */
export function describeExit(seen: Instance): string | null {
  if (seen.state === 'gone') return 'The container is missing.';
  if (seen.state !== 'exited') return null;
  const why = seen.out_of_memory ? ' because it ran out of memory' : '';
  return `The container exited with code ${seen.exit_code ?? 'unknown'}${why}${seen.finished_at === undefined ? '' : ` at ${seen.finished_at}`}.`;
}
