import { findImage } from '../../docker/base-image.ts';
import { answered, ask, type Engine } from '../../docker/client.ts';
import { pythonImage } from './obtain-python.ts';

/** Removes the obtained Pythons whose pin no content names. Each push that takes one names it again, so a young name is in use. */
export async function prunePythons(
  engine: Engine,
  pins: ReadonlySet<string>,
  { older_than_seconds, signal }: { older_than_seconds: number; signal: AbortSignal },
): Promise<void> {
  for (const name of await pythonNames(engine)) {
    const image = await findImage(engine, name, signal);
    if (image === undefined || pins.has(image.pin) || !(await isOlder(engine, name, older_than_seconds))) continue;
    try {
      await ask(engine.docker.getImage(name).remove(), { signal });
    } catch (error) {
      // 409: a container uses the image.
      if (!answered(error, 404) && !answered(error, 409)) throw error;
    }
  }
}

/** The names of this installation's obtained Pythons. A pulled one has no label of the installation. */
export async function pythonNames(engine: Engine): Promise<string[]> {
  const named = await ask(engine.docker.listImages({ filters: { reference: [pythonImage(engine, '*')] } }));
  return named.flatMap(({ RepoTags }) => RepoTags ?? []).filter((tag) => tag.startsWith(pythonImage(engine, '')));
}

/** False when the engine does not tell the time of the name. */
async function isOlder({ docker }: Engine, name: string, older_than_seconds: number): Promise<boolean> {
  // The types lack this field.
  const { Metadata } = (await ask(docker.getImage(name).inspect())) as { Metadata?: { LastTagTime?: string } };
  const seconds = Date.parse(Metadata?.LastTagTime ?? '') / 1000;
  return seconds > 0 && seconds <= older_than_seconds;
}
