import { Problem } from '@gantry/contract/problems.ts';
import type { Engine } from '../../engine/client.ts';

/** Reads the engine's output of a build and returns the id of the image. Throws `build_failed` with the engine's message. */
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

/** The used fields of one line of the engine's answer. `aux` of a progress record is text. */
interface BuildEvent {
  error?: string;
  aux?: { ID?: string };
}
