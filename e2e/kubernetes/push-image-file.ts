import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { digestOf } from '../../server/src/assets/images/layer.ts';
import { registryClient } from '../../server/src/assets/images/registry-client.ts';
import { openOutbound } from '../../server/src/ground/outbound/outbound.ts';
import type { TestCluster } from './cluster.ts';
import { trustRegistry } from './trusted-registry.ts';

const push_ms = 300_000;
const described = z.object({ mediaType: z.string(), digest: z.string(), size: z.number() });
const index = z.object({ manifests: z.array(described) });
const manifestOf = z.looseObject({ mediaType: z.string(), config: described, layers: z.array(described) });

export interface PushedFile {
  repository: string;
  digest: string;
  /** The same image under another digest, as a release without a change of its files. */
  another_digest: string;
}

/** The image of `npm run image`, in the cluster's registry. `folder` is empty. */
export async function pushImageFile(
  { host, registry }: TestCluster,
  { archive, folder }: { archive: string; folder: string },
): Promise<PushedFile> {
  trustRegistry({ registry });
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('tar', ['--extract', '--file', archive, '--directory', folder]);
  const blob = (digest: string) => join(folder, 'blobs/sha256', digest.replace('sha256:', ''));
  const [found] = index.parse(JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'))).manifests;
  if (found === undefined) throw new Error(`${archive} has no image`);
  const content = await readFile(blob(found.digest), 'utf8');
  const manifest = manifestOf.parse(JSON.parse(content));
  const outbound = openOutbound({ private_hosts: [host] });
  try {
    const repository = 'gantry';
    const client = registryClient({ url: registry.url, repository, outbound }, AbortSignal.timeout(push_ms));
    for (const { digest, size } of [manifest.config, ...manifest.layers])
      await client.pushBlob({ digest, size, open: () => createReadStream(blob(digest)) });
    const media_type = manifest.mediaType;
    await client.pushManifest({ digest: found.digest, media_type, content });
    const again = JSON.stringify({ ...manifest, annotations: { release: 'another' } });
    const another_digest = digestOf(Buffer.from(again));
    await client.pushManifest({ digest: another_digest, media_type, content: again });
    return { repository: `${new URL(registry.url).host}/${repository}`, digest: found.digest, another_digest };
  } finally {
    await outbound.close();
  }
}
