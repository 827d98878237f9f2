// The registry that brings images to a target.
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import type { NamedTarget } from '../../../assets/targets/find-targets.ts';
import type { Engine } from '../../../assets/docker/client.ts';
import { digestOf } from '../../../assets/images/layer.ts';
import { pushImage } from '../../../assets/images/push-image.ts';
import { registryClient, type Registry } from '../../../assets/images/registry-client.ts';
import type { Outbound } from '../../../ground/outbound/outbound.ts';
import { tried } from './tried.ts';

export interface DeliveryParts {
  /** The engine that builds. */
  builds: Engine;
  outbound: Outbound;
}

export function registryOf({ config, credential }: NamedTarget, outbound: Outbound): Registry {
  const { origin, pathname } = new URL(String(config['registry'])); // every kind has it
  const repository = pathname.split('/').filter(Boolean).join('/');
  return { url: origin, repository, credential: credential?.registry, outbound };
}

/** Returns the name of the image by its digest, as the target pulls it. */
export async function deliverTo(
  registry: Registry,
  image: { engine: Engine; id: string },
  signal: AbortSignal,
): Promise<string> {
  const { digest } = await pushImage(registry, image, signal);
  return `${new URL(registry.url).host}/${registry.repository}@${digest}`;
}

export async function testRegistry(registry: Registry, signal: AbortSignal): Promise<TargetFinding> {
  return await tried('registry', async () => {
    // The empty config of OCI. A registry keeps it once, whoever sends it.
    const blob = Buffer.from('{}');
    await registryClient(registry, signal).pushBlob({ digest: digestOf(blob), size: blob.length, open: () => blob });
    return 'takes images from the service';
  });
}
