import { answered, ask, type Engine } from '../../engine/client.ts';
import { label, ownedBy } from '../../engine/labels.ts';

/**
 * Removes this installation's app images but those that are needed, and dependency images that no needed one is built on and that were made
 * before then. One that a container still uses stays for the next time. What is removed wrongly costs time only: it is built again.
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
  // Left by a process that was killed while it installed; one that a dependency image is made of is not listed.
  for (const { Id, Created } of await list('unpacked'))
    if (Created <= older_than_seconds) await remove(engine, Id, signal);
}

async function remove({ docker }: Engine, id: string, signal: AbortSignal): Promise<void> {
  try {
    // 409 is a container, or another tag of the same image.
    await ask(docker.getImage(id).remove(), { seconds: 60, signal });
  } catch (error) {
    if (!answered(error, 404) && !answered(error, 409)) throw error;
  }
}
