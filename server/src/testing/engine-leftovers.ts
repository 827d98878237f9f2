import type { Engine } from '../assets/docker/client.ts';
import { removeObjects, removePythons } from '../assets/workshop/remove-installation.ts';

/** Removes an installation from the engine, except the images of agents: the next test with the same content uses them. */
export async function removeLeftovers(engine: Engine): Promise<void> {
  await removeObjects(engine);
  await removePythons(engine);
}
