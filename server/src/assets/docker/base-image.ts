import { Problem } from '@gantry/contract/problems.ts';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../governance/audit/canonical-json.ts';
import { answered, ask, type Engine } from './client.ts';
import { pullImage } from './pull-image.ts';

export interface Image {
  /** `sha256:…`. Another engine may give the same image another id. */
  id: string;
  /** `sha256:…`, the same on every engine. */
  pin: string;
  labels: Record<string, string>;
}

/** Finds the base image in the engine, or pulls it. Throws `base_image_missing` when both fail. */
export async function findBaseImage(engine: Engine, reference: string, signal?: AbortSignal): Promise<Image> {
  const found = await findImage(engine, reference, signal);
  if (found !== undefined) return found;
  await pullImage(engine, reference, { signal });
  const pulled = await findImage(engine, reference, signal);
  if (pulled !== undefined) return pulled;
  throw new Problem('base_image_missing', {
    detail: `The base image ${reference} is not in the engine after its pull`,
  });
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
      pin: imagePin(found),
      // Null for an image without labels.
      labels: found.Config.Labels ?? {},
    };
  } catch (error) {
    if (answered(error, 404)) return undefined;
    throw error;
  }
}

/** The pinned parts of an image, as the engine shows them. */
export interface Pinned {
  Os: string;
  Architecture: string;
  Variant?: string | undefined;
  RootFS: { Layers?: string[] | undefined };
  Config: PinnedConfig;
}

interface PinnedConfig {
  Env?: string[] | null;
  User?: string;
  WorkingDir?: string;
  Healthcheck?: object | undefined;
  Shell?: string[] | undefined;
  StopSignal?: string | undefined;
  Volumes?: Record<string, object> | null;
}

/**
 * The sha256 of an image's content, without its names, times and labels. An agent's image replaces the entry point, and a commit drops
 * `OnBuild`. The last four fields reach an agent's container: a health check would run in it. Ordinary images have none of them.
 */
export function imagePin({ Os, Architecture, Variant, RootFS, Config }: Pinned): string {
  const { Env, User, WorkingDir, Healthcheck, Shell, StopSignal, Volumes } = Config;
  const given = { Env, User, WorkingDir, Healthcheck, Shell, StopSignal, Volumes };
  const content = {
    os: Os,
    architecture: Architecture,
    variant: unlessEmpty(Variant),
    rootfs: { diff_ids: RootFS.Layers },
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, unlessEmpty(value)])),
  };
  return `sha256:${createHash('sha256').update(canonicalJson(content)).digest('hex')}`;
}

/** Engines show an unset field as null, as empty, or not at all. Canonical JSON omits it. */
function unlessEmpty(value: string | object | null | undefined): string | object | undefined {
  const isEmpty = value === null || value === undefined || value === '' || Object.keys(value).length === 0;
  return isEmpty ? undefined : value;
}
