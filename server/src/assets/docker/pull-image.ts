import { Problem } from '@gantry/contract/problems.ts';
import { ask, type Engine } from './client.ts';

// An unreachable registry is often silent. A pull under way reports all the time.
const patience = { first_sign_seconds: 15, standstill_seconds: 60 };

/** Pulls an image. Throws `base_image_missing` with the engine's reason, or the signal's reason. */
export async function pullImage(
  engine: Engine,
  reference: string,
  o: { onProgress?: ((done: string) => void) | undefined; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { signal } = o;
  try {
    // The engine sends its head with the first line of progress, or with the registry's refusal.
    const progress = await ask(engine.docker.pull(reference), { seconds: patience.first_sign_seconds, signal });
    await follow(engine, progress as NodeJS.ReadableStream & { destroy(): void }, o); // a response of Node's HTTP client
  } catch (error) {
    signal?.throwIfAborted();
    const reason = reasonOf(error);
    throw new Problem('base_image_missing', {
      detail: `The base image ${reference} is not in the engine and cannot be pulled: ${reason}`,
      fields: { reason },
    });
  }
}

async function follow(
  { docker }: Engine,
  progress: NodeJS.ReadableStream & { destroy(): void },
  { onProgress, signal }: { onProgress?: ((done: string) => void) | undefined; signal?: AbortSignal | undefined },
): Promise<void> {
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const { standstill_seconds } = patience;
  const stop = () => reject(new Error(`the pull stood still for ${standstill_seconds} s`));
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  let timer = setTimeout(stop, standstill_seconds * 1000);
  const layers = new Map<string, boolean>();
  let told = '';
  docker.modem.followProgress(
    progress,
    (error) => (error === null ? resolve() : reject(error)),
    ({ id, status = '' }: { id?: string; status?: string }) => {
      clearTimeout(timer);
      timer = setTimeout(stop, standstill_seconds * 1000);
      if (id === undefined || !layerStates.test(status)) return;
      layers.set(id, /^(Pull complete|Already exists)/.test(status));
      const text = `${[...layers.values()].filter(Boolean).length} of ${layers.size} layers`;
      if (text !== told) onProgress?.((told = text));
    },
  );
  try {
    await done;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    // Without a reader, the engine ends the pull.
    progress.destroy();
  }
}

const layerStates = /^(Pulling fs layer|Waiting|Downloading|Extracting|Pull complete|Already exists)/;

/** The engine's sentence, without the client's prefix. */
function reasonOf(error: unknown): string {
  if (error instanceof Problem) return error.detail ?? error.code;
  if (!(error instanceof Error)) return String(error);
  const { json } = error as { json?: { message?: unknown } }; // the client's error with the engine's answer
  return typeof json?.message === 'string' ? json.message : error.message;
}
