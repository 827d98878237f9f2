import type { Engine } from '../engine/client.ts';
import { removeObjects } from '../engine/remove-installation.ts';

/** Removes everything of an installation from the engine but its images, which the next test with the same content uses. */
export async function removeLeftovers(engine: Engine): Promise<void> {
  await removeObjects(engine);
}
