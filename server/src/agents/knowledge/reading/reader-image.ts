// The image with the packages that read documents: the base image, and reader/requirements.lock. It is made once for an installation.
import { ask, answered } from '../../../assets/docker/client.ts';
import { ownedBy } from '../../../assets/docker/labels.ts';
import { ensureDependencyImage } from '../../../assets/images/dependency-image.ts';
import type { Sandboxes } from '../../../assets/workshop/sandboxes.ts';

const purpose = 'reader';

/** Returns its id. Throws as `ensureDependencyImage`. */
export async function ensureReaderImage(sandboxes: Sandboxes, lock: string, signal: AbortSignal): Promise<string> {
  const { id, reused } = await ensureDependencyImage(sandboxes, {
    // No team's packages are in it.
    team_id: purpose,
    purpose,
    lock,
    python_version: sandboxes.facts.python_version,
    wheels: new Map(),
    wrapper_lock: '',
    signal,
  });
  if (!reused) await removeOthers(sandboxes, id, signal);
  return id;
}

/** Those of an earlier lock or base image. Another process may still read with one: then it stays until the next one is made. */
async function removeOthers({ engine }: Sandboxes, id: string, signal: AbortSignal): Promise<void> {
  const images = await ask(engine.docker.listImages({ filters: ownedBy(engine, purpose) }), { signal });
  for (const { Id } of images) {
    if (Id === id) continue;
    await ask(engine.docker.getImage(Id).remove(), { seconds: 60, signal }).catch((error: unknown) => {
      if (!answered(error, 404) && !answered(error, 409)) throw error;
    });
  }
}
