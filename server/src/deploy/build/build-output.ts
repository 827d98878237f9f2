import { Problem } from '@gantry/contract/problems.ts';
import type { Engine } from '../../engine/client.ts';

/** Reads what the engine says about a build up to its end, and returns the id of the image. Throws `build_failed` with the engine's words. */
export async function readBuildOutput({ docker }: Engine, output: NodeJS.ReadableStream): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let id: string | undefined;
  const onEvent = (event: BuildEvent) => {
    if (event.error !== undefined)
      reject(new Problem('build_failed', { detail: `The image could not be built: ${event.error}` }));
    if (event.aux?.ID !== undefined) id = event.aux.ID;
  };
  const onEnd = (error: Error | null) => {
    if (error !== null) reject(error);
    else if (id === undefined)
      reject(new Problem('build_failed', { detail: 'The engine ended the build without an image' }));
    else resolve(id);
  };
  docker.modem.followProgress(output, onEnd, onEvent);
  return promise;
}

/** One line of the engine's answer, as far as it matters here; `aux` of a progress record is text. */
interface BuildEvent {
  error?: string;
  aux?: { ID?: string };
}
