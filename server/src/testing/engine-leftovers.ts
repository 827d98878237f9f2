import type { Engine } from '../engine/client.ts';
import { unguardEgress } from '../engine/egress.ts';
import { label } from '../engine/labels.ts';
import { removeNetwork } from '../engine/networks.ts';

/** Removes everything of an installation from the engine: containers first, then what they used. Images stay; they are shared by content. */
export async function removeLeftovers(engine: Engine): Promise<void> {
  const { docker, installation_id } = engine;
  const filters = { label: [`${label.installation}=${installation_id}`] };
  for (const { Id } of await docker.listContainers({ all: true, filters }))
    await docker.getContainer(Id).remove({ force: true, v: true });
  for (const { Id, Name, Internal, Options } of await docker.listNetworks({ filters })) {
    const network = {
      id: Id,
      name: Name,
      bridge: Options?.['com.docker.network.bridge.name'] ?? '',
      subnet: '',
      gateway: '',
      internal: Internal,
    };
    await unguardEgress(engine, network);
    await removeNetwork(engine, network);
  }
  const { Volumes } = await docker.listVolumes({ filters: JSON.stringify(filters) });
  for (const { Name } of Volumes ?? []) await docker.getVolume(Name).remove();
}
