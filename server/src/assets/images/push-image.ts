// An image of the engine in a registry. The manifest follows from the config and the layers, so the same image has one manifest digest in
// every registry. Layers are not compressed: a registry names them by the digests that the config has, and no compressor decides about the
// digest. What the registry has is not sent, and when it has all, the engine is not asked for a byte.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Parser, type ReadEntry } from 'tar';
import { canonicalJson } from '../../governance/audit/canonical-json.ts';
import { ask, type Engine } from '../docker/client.ts';
import { digestOf } from './layer.ts';
import { registryClient, type Registry, type RegistryClient } from './registry-client.ts';

export interface PushedImage {
  /** The digest of the manifest. Registries and clusters use it. */
  digest: string;
  /** `linux/amd64` */
  platform: string;
}

const push_seconds = 1800;

/** Pushes the image with this id, `sha256:…` of its config. Throws `start_failed` with the registry's reason, and `engine_unavailable`. */
export async function pushImage(
  registry: Registry,
  { engine, id }: { engine: Engine; id: string },
  signal: AbortSignal,
): Promise<PushedImage> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(push_seconds * 1000)]);
  const { Os, Architecture, Variant, RootFS } = await ask(engine.docker.getImage(id).inspect(), { signal: until });
  const client = registryClient(registry, until);
  const diff_ids = RootFS.Layers ?? [];
  const sizes = new Map<string, number>();
  const missing = new Set<string>();
  for (const digest of new Set([...diff_ids, id])) {
    const size = await sizeIn(client, digest);
    if (size === undefined) missing.add(digest);
    else sizes.set(digest, size);
  }
  if (missing.size > 0)
    await eachSaved(engine, { id, signal: until }, async (blob) => {
      if (!missing.delete(blob.digest)) return;
      await client.pushBlob(blob);
      sizes.set(blob.digest, blob.size);
    });
  if (missing.size > 0) throw new Error(`the engine did not give ${[...missing].join(', ')} of the image ${id}`);
  const content = writeManifest({ config: id, layers: diff_ids, sizes });
  const digest = digestOf(Buffer.from(content));
  await client.pushManifest({ digest, media_type: manifestType, content });
  return { digest, platform: [Os, Architecture, Variant].filter(Boolean).join('/') };
}

async function sizeIn(client: RegistryClient, digest: string): Promise<number | undefined> {
  const size = await client.blobSize(digest);
  if (size !== undefined || !(await client.mountBlob(digest))) return size;
  return await client.blobSize(digest);
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** An OCI image manifest. The same image has the same bytes. */
function writeManifest(o: { config: string; layers: readonly string[]; sizes: ReadonlyMap<string, number> }): string {
  const about = (mediaType: string, digest: string) => ({ mediaType, digest, size: o.sizes.get(digest) });
  return canonicalJson({
    schemaVersion: 2,
    mediaType: manifestType,
    config: about('application/vnd.oci.image.config.v1+json', o.config),
    layers: o.layers.map((digest) => about('application/vnd.oci.image.layer.v1.tar', digest)),
  });
}

interface SavedFile {
  digest: string;
  size: number;
  open: () => Readable;
}

/** Each file of the engine's archive of an image, by its content: engines name them differently. One at a time is on the disk. */
async function eachSaved(
  engine: Engine,
  { id, signal }: { id: string; signal: AbortSignal },
  take: (file: SavedFile) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-image-'));
  const path = join(folder, 'file');
  const archive = (await ask(engine.docker.getImage(id).get(), { seconds: push_seconds, signal })) as Readable; // a response of Node's HTTP client
  try {
    let work = Promise.resolve();
    const parser = new Parser({
      strict: true,
      onReadEntry: (entry) => {
        work = work.then(async () => await takeFile(entry, path, take));
        work.catch((error: Error) => archive.destroy(error));
      },
    });
    await pipeline(archive, parser, { signal });
    await work;
  } finally {
    archive.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

async function takeFile(entry: ReadEntry, path: string, take: (file: SavedFile) => Promise<void>): Promise<void> {
  if (entry.type !== 'File') {
    entry.resume();
    return;
  }
  const hash = createHash('sha256');
  const { size } = entry;
  await pipeline(
    Readable.from(entry),
    async function* hashed(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
  await take({ digest: `sha256:${hash.digest('hex')}`, size, open: () => createReadStream(path) });
}
