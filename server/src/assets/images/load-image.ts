import { Problem } from '@gantry/contract/problems.ts';
import { Readable } from 'node:stream';
import { packArchive } from '../docker/archive.ts';
import { ask, type Engine } from '../docker/client.ts';
import { findImage } from '../docker/base-image.ts';
import type { ImageBelow } from './image-config.ts';
import { digestOf, type Layer } from './layer.ts';

/** Loading 200 MB takes seconds. This limit is for a hanging engine. */
const load_seconds = 300;

/**
 * Gives the engine an image by its config and its own layers. The engine has the layers below and finds them by their digests, so they
 * are not sent. Returns the image's id. Throws `build_failed` with the engine's message.
 */
export async function loadImage(
  engine: Engine,
  {
    config,
    below,
    layers,
    name,
    signal,
  }: {
    config: Buffer;
    /** The image with the layers that the engine has. */
    below: Pick<ImageBelow, 'RootFS'>;
    layers: readonly Layer[];
    /** `repo:tag` */
    name: string;
    signal: AbortSignal;
  },
): Promise<string> {
  const file = `${digestOf(config).slice('sha256:'.length)}.json`;
  const known = (below.RootFS.Layers ?? []).map((_, index) => `in-the-engine-${index}.tar`);
  const manifest = [{ Config: file, RepoTags: [name], Layers: [...known, ...layers.map(nameOf)] }];
  const archive = packArchive([
    { path: 'manifest.json', content: JSON.stringify(manifest) },
    { path: file, content: config },
    ...layers.map((layer) => ({ path: nameOf(layer), content: layer.bytes })),
  ]);
  // An abort of the request ends the load at once.
  const until = AbortSignal.any([signal, AbortSignal.timeout(load_seconds * 1000)]);
  const options = { quiet: true, abortSignal: until };
  const loading = engine.docker
    .loadImage(Readable.from([archive]), options)
    .then(async (output) => await readEnd(engine, output));
  await ask(loading, { seconds: load_seconds, signal });
  const found = await findImage(engine, name, signal);
  if (found?.id !== digestOf(config))
    throw failed(`the engine has ${found?.id ?? 'no image'} under the name of ${digestOf(config)}`);
  return found.id;
}

const nameOf = ({ diff_id }: Layer): string => `${diff_id.slice('sha256:'.length)}.tar`;

/** Throws the engine's message when the load has failed. */
async function readEnd({ docker }: Engine, output: NodeJS.ReadableStream): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  docker.modem.followProgress(
    output,
    (error) => (error === null ? resolve() : reject(error)),
    ({ error }: { error?: string }) => {
      if (error !== undefined) reject(failed(error));
    },
  );
  await promise;
}

const failed = (why: string) => new Problem('build_failed', { detail: `The image could not be loaded: ${why}` });
