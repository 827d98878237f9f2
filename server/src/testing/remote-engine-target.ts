// A target with an engine of its own. Images reach it through a registry.
import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';
import { localTarget, type LocalSettings } from '../deploy/targets/local.ts';
import type { Target } from '../deploy/targets/target.ts';
import { answered, ask, type Engine } from '../engine/client.ts';

export interface RemoteEngineSettings extends LocalSettings {
  /** The engine that builds. */
  builds: Engine;
  runs: Engine;
  /** `host:port` */
  registry: string;
}

export function remoteEngineTarget({ builds, runs, registry, ...settings }: RemoteEngineSettings): Target {
  return {
    ...localTarget(settings),
    deliver: async (image, signal) => {
      const digest = await push(builds, { image, repository: `${registry}/agents`, signal });
      const name = `${registry}/agents@${digest}`;
      await progress(runs, await ask(runs.docker.pull(name), { signal }), signal);
      const pulled = await ask(runs.docker.getImage(name).inspect(), { signal }).catch((error: unknown) => {
        // Some engines keep an image under the digest of what was served.
        if (answered(error, 404)) return undefined;
        throw error;
      });
      if (pulled?.Id !== image)
        throw refused(`The registry gave the image ${pulled?.Id ?? 'of another digest'} for ${image}.`);
      return image;
    },
  };
}

/** Returns the digest of the image's manifest. */
async function push(
  builds: Engine,
  { image, repository, signal }: { image: string; repository: string; signal: AbortSignal },
): Promise<string> {
  const tag = image.replace('sha256:', '');
  await ask(builds.docker.getImage(image).tag({ repo: repository, tag }), { signal });
  const tagged = builds.docker.getImage(`${repository}:${tag}`);
  const events = await progress(builds, await ask(tagged.push({ tag, authconfig: {} }), { signal }), signal);
  await ask(tagged.remove(), { signal });
  const digest = events.map(({ aux }) => aux?.Digest).find((one) => one !== undefined);
  if (digest === undefined) throw refused(`The registry gave no digest for ${image}.`);
  return digest;
}

const event = z.object({
  error: z.string().optional(),
  aux: z.object({ Digest: z.string().optional() }).optional(),
});

async function progress({ docker }: Engine, stream: NodeJS.ReadableStream, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
  docker.modem.followProgress(stream, (error, events) => (error ? reject(error) : resolve(events)));
  const seen = event.array().parse(await ask(promise, { seconds: 300, signal }));
  const failure = seen.map(({ error }) => error).find((one) => one !== undefined);
  if (failure !== undefined) throw refused(failure);
  return seen;
}

const refused = (detail: string) => new Problem('start_failed', { detail });
