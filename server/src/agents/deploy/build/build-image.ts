// Step 4. Builds a version's content, by digest, into an image. It copies the wrapper and the files over the dependency image of the lock.
import { entryOf, filesFromMap } from '@gantry/project/agent-project.ts';
import { readDependencies } from '@gantry/project/dependencies/read-dependencies.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../../../ground/database/database.ts';
import { findImage } from '../../../assets/docker/base-image.ts';
import type { Engine } from '../../../assets/docker/client.ts';
import type { RunLabel } from '../../../assets/docker/labels.ts';
import type { Pythons } from '../../../assets/workshop/pythons/pythons.ts';
import type { Sandboxes } from '../../../assets/workshop/sandboxes.ts';
import { pinBases, pinOfBase } from '../../../assets/registry/dependencies/base-pins.ts';
import type { VersionContent } from '../../../assets/registry/versions/load-version-content.ts';
import { buildAppImage } from '../../../assets/images/app-image.ts';
import { distInfo } from '../../../assets/images/dist-info.ts';
import { ensureDependencyImage } from '../../../assets/images/dependency-image.ts';
import type { InstalledPackage } from '../../../assets/images/installed.ts';
import { pruneCaches } from '../../../assets/workshop/package-cache.ts';
import { prunePythons } from '../../../assets/workshop/pythons/prune-pythons.ts';
import { pruneImages } from '../../../assets/images/prune-images.ts';
import { readPackageFiles } from '../../../assets/images/package-files.ts';

export interface Builder {
  /** Throws base_image_missing, build_failed, index_unreachable, out_of_memory, disk_limit. */
  build(input: BuildInput): Promise<BuiltImage>;
  /** True while the engine has the image, `sha256:…`. */
  hasImage(image: string, signal: AbortSignal): Promise<boolean>;
  /** No image or cache is removed during the work. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Looks up the pins of older base images. Removes images and caches that are no longer needed. New builds wait meanwhile, so that none
   * uses a removed image.
   * Does nothing and returns false during a build, or when `needed` returns undefined.
   */
  prune(needed: () => Promise<Needed | undefined>, signal: AbortSignal): Promise<boolean>;
}

export interface Needed {
  images: ReadonlySet<string>;
  /** The teams with agents. */
  team_ids: ReadonlySet<string>;
}

interface BuildInput {
  agent: string;
  team_id: string;
  content: VersionContent;
  /** The time of the push. So the same content gives the same image. */
  created_at: string;
  /** Undefined for a rebuild, which belongs to no run. */
  run?: RunLabel | undefined;
  onLog: (line: string) => void;
  signal: AbortSignal;
}

export interface BuiltImage {
  /** sha256:… */
  image: string;
  dependency_image: string;
  /** True when the lock's image existed before. */
  reused: boolean;
  installed: InstalledPackage[];
}

const keep_dependencies_seconds = 24 * 60 * 60;
const keep_python_seconds = 24 * 60 * 60;

export function imageBuilder(parts: {
  db: Database;
  engine: Engine;
  pythons: Pick<Pythons, 'sandboxes'>;
  wrapper_directory: string;
}): Builder {
  let building = 0;
  let pruning: Promise<void> | undefined;
  const hold = async <T>(work: () => Promise<T>): Promise<T> => {
    building += 1;
    try {
      await pruning;
      return await work();
    } finally {
      building -= 1;
    }
  };
  return {
    hold,
    build: async (input) =>
      await hold(async () => {
        const { content, signal } = input;
        const pin = await pinOfBase(parts, content, signal);
        const sandboxes = await parts.pythons.sandboxes(content.python);
        if (pin !== sandboxes.base.pin) throw otherBase(input, { pin, now: sandboxes.base.pin });
        return await build(sandboxes, parts.wrapper_directory, input);
      }),
    hasImage: async (image, signal) => (await findImage(parts.engine, image, signal)) !== undefined,
    prune: async (needed, signal) => {
      if (building > 0 || pruning !== undefined) return false;
      const done = Promise.withResolvers<void>();
      pruning = done.promise;
      try {
        const wanted = await needed();
        if (wanted === undefined) return false;
        const pins = await pinBases(parts, signal);
        // A dependency image is kept for a day for versions that are not deployed yet. Without agents there are none.
        const keep_seconds = wanted.team_ids.size === 0 ? 0 : keep_dependencies_seconds;
        const older_than_seconds = Date.now() / 1000 - keep_seconds;
        await pruneImages(parts.engine, wanted.images, { older_than_seconds, signal });
        await prunePythons(parts.engine, pins, { older_than_seconds: Date.now() / 1000 - keep_python_seconds, signal });
        await pruneCaches(parts.engine, wanted.team_ids, signal);
        return true;
      } finally {
        pruning = undefined;
        done.resolve();
      }
    },
  };
}

async function build(sandboxes: Sandboxes, wrapper_directory: string, input: BuildInput): Promise<BuiltImage> {
  const { agent, team_id, content, created_at, run, onLog, signal } = input;
  refuseUnkept(agent, content);
  const wrapper = await readPackageFiles(wrapper_directory);
  const dependencies = await ensureDependencyImage(sandboxes, {
    team_id,
    lock: content.lock,
    python_version: content.python,
    wheels: new Map(content.wheels.map(({ file, bytes }) => [file, bytes])),
    wrapper_lock: wrapper.lock,
    run,
    onLog,
    signal,
  });
  onLog(`dependencies: ${dependencies.reused ? 'reused' : 'installed'} (${dependencies.tag})`);
  const files = new Map(content.files.map(({ path, bytes }) => [path, bytes]));
  const app = await buildAppImage(sandboxes.engine, {
    dependency_image: dependencies.tag,
    agent,
    team_id,
    version: content.version,
    digest: content.digest,
    created_at,
    entry: entryOf(content.config, filesFromMap(files)),
    files,
    wrapper: wrapper.files,
    skills: new Map(content.skills.map(({ path, bytes }) => [path, bytes])),
    metadata: distInfo(readDependencies(filesFromMap(files)).projects, content.lock),
    signal,
  });
  onLog(`image: ${app.id}`);
  const { id: dependency_image, reused, installed } = dependencies;
  return { image: app.id, dependency_image, reused, installed };
}

// The approval includes the base image, so another base image is other content.
function otherBase({ agent, content }: BuildInput, { pin, now }: { pin: string | undefined; now: string }): Problem {
  const ref = `agents/${agent}@${content.version}`;
  if (pin === undefined)
    return new Problem('base_image_missing', {
      detail: `${ref} was pushed on the base image ${content.base_image}, which is not in the engine.`,
      hint: 'Load that image into the engine, or push the project again as a new version.',
    });
  return new Problem('base_image_missing', {
    detail: `${ref} was pushed on the base image with the pin ${pin}; this service builds on ${now} now.`,
    hint: 'Push it again as a new version, or restore BASE_IMAGE or BASE_IMAGES.',
  });
}

// A version of an earlier release may lack its wheels. Its source distributions were built by each deploy, from the current index.
function refuseUnkept(agent: string, { version, dependencies, wheels }: VersionContent): void {
  if (wheels.length === dependencies.built_from_source.length) return;
  throw new Problem('project_invalid', {
    detail: `agents/${agent}@${version} was pushed without the built wheels of these packages: ${dependencies.built_from_source.join(', ')}.`,
    hint: 'Push it again as a new version.',
  });
}
