import { findImage, type Image } from '../docker/base-image.ts';
import { ask, type Engine } from '../docker/client.ts';
import { labelsFor } from '../docker/labels.ts';
import { cacheDirectory } from '../workshop/package-cache.ts';
import { sandbox_user } from '../workshop/sandbox.ts';
import { uvDirectory } from '../workshop/uv.ts';
import { writeConfig } from './image-config.ts';
import { folders } from './installed.ts';
import { digestOf, writeLayer } from './layer.ts';
import { loadImage } from './load-image.ts';

/**
 * The base image with the empty folders that the sandboxes of a dependency image mount and fill. An engine makes a missing folder with the
 * time of the start, and that time would be in the layer of the packages. Returns its id.
 */
export async function prepareBase(engine: Engine, base: Image, signal: AbortSignal): Promise<string> {
  const files = new Map<string, Uint8Array>();
  const owned = [...Object.values(folders), cacheDirectory].map((path) => ({
    folder: path.slice(1),
    owner: sandbox_user,
    files,
  }));
  const layer = writeLayer([{ folder: uvDirectory.slice(1), files }, ...owned]);
  const below = await ask(engine.docker.getImage(base.id).inspect(), { signal });
  const config = writeConfig(below, {
    labels: labelsFor(engine, 'prepared'),
    diff_ids: [layer.diff_id],
    contents: 'the folders that a sandbox fills',
  });
  const id = digestOf(config);
  if ((await findImage(engine, id, signal)) !== undefined) return id;
  const name = `svc-base:${id.slice('sha256:'.length)}`;
  return await loadImage(engine, { config, below, layers: [layer], name, signal });
}
