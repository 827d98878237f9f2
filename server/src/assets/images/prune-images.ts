import { answered, ask, type Engine } from '../docker/client.ts';
import { label, ownedBy } from '../docker/labels.ts';

/**
 * Removes this installation's unneeded app images, and old dependency images without a needed app image. An image in use by a container
 * stays until a later prune. A wrong removal costs only time, because the next build makes the image again.
 */
export async function pruneImages(
  engine: Engine,
  needed: ReadonlySet<string>,
  { older_than_seconds, signal }: { older_than_seconds: number; signal: AbortSignal },
): Promise<void> {
  const list = async (purpose: string) =>
    await ask(engine.docker.listImages({ filters: ownedBy(engine, purpose) }), { signal });
  const builtOn = new Set<string>();
  for (const { Id, Labels } of await list('app'))
    if (needed.has(Id)) builtOn.add(Labels?.[label.dependencies] ?? '');
    else await remove(engine, Id, signal);
  for (const { Id, RepoTags, Created } of await list('dependencies')) {
    const isOld = Created <= older_than_seconds;
    if (isOld && !(RepoTags ?? []).some((tag) => builtOn.has(tag))) await remove(engine, Id, signal);
  }
  // A process that was killed during the installation left the unpacked ones. The base of a dependency image is not in this list.
  for (const purpose of ['unpacked', 'prepared'])
    for (const { Id, Created } of await list(purpose))
      if (Created <= older_than_seconds) await remove(engine, Id, signal);
}

async function remove({ docker }: Engine, id: string, signal: AbortSignal): Promise<void> {
  try {
    // 409: a container uses the image, or the image has another tag.
    await ask(docker.getImage(id).remove(), { seconds: 60, signal });
  } catch (error) {
    if (!answered(error, 404) && !answered(error, 409)) throw error;
  }
}
