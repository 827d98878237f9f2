// An image in one file: an OCI layout, with the list that Docker's `load` of older releases reads. `docker load`, podman and `ctr` take it.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../server/src/governance/audit/canonical-json.ts';
import { digestOf } from '../../server/src/assets/images/layer.ts';
import type { Blob } from './layer-file.ts';
import type { Platform } from './platform.ts';
import { run } from './run.ts';

const type = (name: string) => `application/vnd.oci.image.${name}`;

/** Returns the digest of the manifest. */
export async function writeOciArchive(
  work: string,
  {
    config,
    layers,
    name,
    platform,
    output,
  }: { config: Buffer; layers: Blob[]; name: string; platform: Platform; output: string },
): Promise<string> {
  const layout = join(work, 'layout');
  const blobs = join(layout, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  for (const { path, digest } of layers) await rename(path, join(blobs, hexOf(digest)));
  const write = async (mediaType: string, content: Buffer) => {
    const digest = digestOf(content);
    await writeFile(join(blobs, hexOf(digest)), content);
    return { mediaType, digest, size: content.length };
  };
  const configured = await write(type('config.v1+json'), config);
  const manifest = canonicalJson({
    schemaVersion: 2,
    mediaType: type('manifest.v1+json'),
    config: configured,
    layers: layers.map(({ digest, size }) => ({ mediaType: type('layer.v1.tar'), digest, size })),
  });
  const listed = {
    ...(await write(type('manifest.v1+json'), Buffer.from(manifest))),
    platform: { os: 'linux', architecture: platform.architecture },
    annotations: { 'io.containerd.image.name': `docker.io/library/${name}`, 'org.opencontainers.image.ref.name': name },
  };
  const file = (digest: string) => `blobs/sha256/${hexOf(digest)}`;
  const docker = [
    { Config: file(configured.digest), RepoTags: [name], Layers: layers.map(({ digest }) => file(digest)) },
  ];
  const index = { schemaVersion: 2, mediaType: type('index.v1+json'), manifests: [listed] };
  await writeFile(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(join(layout, 'index.json'), canonicalJson(index));
  await writeFile(join(layout, 'manifest.json'), canonicalJson(docker));
  const same = [
    '--format=gnu',
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
  ];
  await run('tar', [
    '--create',
    `--file=${output}`,
    ...same,
    `--directory=${layout}`,
    'blobs',
    'index.json',
    'manifest.json',
    'oci-layout',
  ]);
  return listed.digest;
}

const hexOf = (digest: string) => digest.slice('sha256:'.length);
