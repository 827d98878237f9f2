// Restarts the container of a registered revision, or makes a new one when it is gone.
import { Problem } from '@gantry/contract/problems.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';
import { requireSecrets } from '../secrets/delivery.ts';
import type { DeployParts } from './parts.ts';
import { placeInput, startContainer } from './start-container.ts';
import * as store from './store.ts';
import type { Instance } from './targets/target.ts';

// Higher than every fence of the deploy's run, which has ended.
const fence_after_deploy = 2 ** 31;

/**
 * Throws `secret_missing`, `start_failed`, `health_check_failed`, `out_of_memory` or `engine_unavailable`. A container that does not become ready is stopped.
 * `why` is the stored reason; its default is the container's own exit.
 */
export async function restartContainer(
  parts: DeployParts,
  row: store.InstanceRow,
  seen: Instance,
  signal: AbortSignal,
  why = describeExit(seen),
): Promise<void> {
  const { db } = parts;
  const { revision_id, agent_id } = row;
  const target = parts.targets[row.place.target];
  const revision = await store.revision(db, revision_id);
  if (revision === undefined) throw new Error(`revision ${revision_id} is gone`);
  const config = await loadAgentConfig(db, revision.version_id);
  await requireSecrets(db, { agent_id, config }).catch(async (error: unknown) => {
    if (error instanceof Problem) await store.setStarting(db, revision_id, error.detail);
    throw error;
  });
  await store.setStarting(db, revision_id, why);
  const isGone = seen.state === 'gone';
  const place = isGone
    ? await target.provision(
        await placeInput(db, { revision_id, image: revision.image, config }, fence_after_deploy),
        signal,
      )
    : row.place;
  const { key_id } = revision;
  try {
    const { url } = await startContainer(parts, target, { revision_id, agent_id, config, place, key_id, signal });
    await store.setStarted(db, { revision_id, place, url, key_id, restarted: seen.state !== 'running' });
  } catch (error) {
    await target.stop(place, { grace_seconds: 2 }, AbortSignal.timeout(60_000));
    throw error;
  }
}

/** Null while the container runs. */
export function describeExit(seen: Instance): string | null {
  if (seen.state === 'gone') return 'The container is missing.';
  if (seen.state !== 'exited') return null;
  const why = seen.out_of_memory ? ' because it ran out of memory' : '';
  return `The container exited with code ${seen.exit_code ?? 'unknown'}${why}${seen.finished_at === undefined ? '' : ` at ${seen.finished_at}`}.`;
}
