import { Problem } from '@gantry/contract/problems.ts';
import { answered, ask, type Engine } from './client.ts';

export interface Image {
  /** `sha256:…` */
  id: string;
  /** `linux/amd64` */
  platform: string;
  labels: Record<string, string>;
}

/** Finds the base image in the engine, or pulls it. Throws `base_image_missing` when both fail. */
export async function findBaseImage(engine: Engine, reference: string, signal?: AbortSignal): Promise<Image> {
  return (await findImage(engine, reference, signal)) ?? (await pull(engine, reference, signal));
}

export async function findImage(
  { docker }: Engine,
  reference: string,
  signal?: AbortSignal,
): Promise<Image | undefined> {
  try {
    const found = await ask(docker.getImage(reference).inspect(), { seconds: 15, signal });
    return {
      id: found.Id,
      platform: `${found.Os}/${found.Architecture}`,
      // Null for an image without labels.
      labels: found.Config.Labels ?? {},
    };
  } catch (error) {
    if (answered(error, 404)) return undefined;
    throw error;
  }
}

async function pull(engine: Engine, reference: string, signal?: AbortSignal): Promise<Image> {
  try {
    const progress = await ask(engine.docker.pull(reference), { seconds: 60, signal });
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    engine.docker.modem.followProgress(progress, (error) => (error === null ? resolve() : reject(error)));
    await ask(done, { seconds: 600, signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Problem) throw error;
    throw missing(reference);
  }
  const image = await findImage(engine, reference, signal);
  if (image === undefined) throw missing(reference);
  return image;
}

function missing(reference: string): Problem {
  return new Problem('base_image_missing', {
    detail: `The base image ${reference} is not in the engine and cannot be pulled`,
  });
}
