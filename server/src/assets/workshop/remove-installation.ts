// Removes all objects of an installation from the engine. Objects without its id stay unchanged.
import { answered, ask, type Engine } from '../docker/client.ts';
import { unguardEgress } from '../docker/egress.ts';
import { openFirewall } from '../docker/firewall.ts';
import { label, ownedBy } from '../docker/labels.ts';
import { pythonNames } from './pythons/prune-pythons.ts';
import { readNetwork, removeNetwork } from '../docker/networks.ts';

export interface Removed {
  containers: number;
  networks: number;
  volumes: number;
  images: number;
}

/** An image of many layers on a slow disk takes minutes, and the engine does it once at a time. */
const removal_seconds = 900;

/**
 * Removes containers first, then the objects that they used. The service must be stopped. `tell` gets the progress in words.
 */
export async function removeInstallation(
  engine: Engine,
  tell: (progress: string) => void = () => {},
): Promise<Removed> {
  tell('removing containers and networks');
  const objects = await removeObjects(engine);
  let images = 0;
  // App images are built on dependency images, those on unpacked images, and those on prepared base images.
  for (const purpose of ['app', 'dependencies', 'reader', 'unpacked', 'prepared'])
    for (const { Id } of await ask(engine.docker.listImages({ filters: ownedBy(engine, purpose) }))) {
      tell(`removing images: ${images} are removed`);
      if (await isRemoved(engine.docker.getImage(Id).remove({ force: true }))) images += 1;
    }
  images += await removePythons(engine, () => tell(`removing images: ${images} are removed`));
  return { ...objects, images };
}

/** Removes the obtained Pythons, and returns their number. */
export async function removePythons(engine: Engine, tell: () => void = () => {}): Promise<number> {
  let removed = 0;
  for (const name of await pythonNames(engine)) {
    tell();
    if (await isRemoved(engine.docker.getImage(name).remove({ force: true }))) removed += 1;
  }
  return removed;
}

/** Removes all objects except images. */
export async function removeObjects(engine: Engine): Promise<Omit<Removed, 'images'>> {
  const { docker, installation_id } = engine;
  const filters = { label: [`${label.installation}=${installation_id}`] };
  const containers = await ask(docker.listContainers({ all: true, filters }));
  for (const { Id } of containers) await isRemoved(docker.getContainer(Id).remove({ force: true, v: true }));
  const networks = await ask(docker.listNetworks({ filters }));
  const firewall = openFirewall();
  try {
    for (const network of networks.map(readNetwork)) {
      await unguardEgress(firewall, network);
      await removeNetwork(engine, network);
    }
  } finally {
    firewall.close();
  }
  const { Volumes } = await ask(docker.listVolumes({ filters: JSON.stringify(filters) }));
  for (const { Name } of Volumes ?? []) await isRemoved(docker.getVolume(Name).remove());
  return { containers: containers.length, networks: networks.length, volumes: Volumes?.length ?? 0 };
}

/** False when the object no longer exists. */
async function isRemoved(removing: Promise<unknown>): Promise<boolean> {
  try {
    await ask(removing, { seconds: removal_seconds });
    return true;
  } catch (error) {
    if (answered(error, 404)) return false;
    throw error;
  }
}
