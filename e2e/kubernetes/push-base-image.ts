import { findBaseImage } from '../../server/src/assets/docker/base-image.ts';
import { pushImage } from '../../server/src/assets/images/push-image.ts';
import { testInstallation } from '../../server/src/assets/workshop/test-installation.ts';
import { openOutbound } from '../../server/src/ground/outbound/outbound.ts';
import { testConfig } from '../../server/src/testing/config.ts';
import type { TestCluster } from './cluster.ts';
import { trustRegistry } from './trusted-registry.ts';

const push_ms = 300_000;

/** The base image of agents, in the cluster's registry: `<registry>/base@sha256:…`. */
export async function pushBaseImage({ host, registry }: TestCluster): Promise<string> {
  trustRegistry({ registry });
  const { engine, settings } = testInstallation(testConfig());
  const signal = AbortSignal.timeout(push_ms);
  const outbound = openOutbound({ private_hosts: [host] });
  try {
    const { id } = await findBaseImage(engine, settings.base_image, signal);
    const { digest } = await pushImage({ url: registry.url, repository: 'base', outbound }, { engine, id }, signal);
    return `${new URL(registry.url).host}/base@${digest}`;
  } finally {
    await outbound.close();
  }
}
