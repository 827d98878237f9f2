import type { ProjectEntry } from '@gantry/project/agent-project.ts';
import { createHash } from 'node:crypto';
import { ask, type Engine } from '../docker/client.ts';
import { label, labelsFor } from '../docker/labels.ts';
import { sandbox_user } from '../workshop/sandbox.ts';
import { writeConfig } from './image-config.ts';
import { writeLayer } from './layer.ts';
import { loadImage } from './load-image.ts';

export interface AppImageInput {
  /** The dependency image's tag. It is a hash of the image's content, so no other image has it. */
  dependency_image: string;
  agent: string;
  team_id: string;
  version: string;
  /** The digest of the version's whole content, as approved. */
  digest: string;
  created_at: string;
  entry: ProjectEntry;
  /** The user's files, by path. */
  files: ReadonlyMap<string, Uint8Array>;
  /** The wrapper's files, by path below `_svc_wrapper/`. */
  wrapper: ReadonlyMap<string, Uint8Array>;
  /** The project's own files for `importlib.metadata`, by path beside `_svc_wrapper/`. */
  metadata: ReadonlyMap<string, Uint8Array>;
  /** The files of its skills, by path below `opt/skills/`. */
  skills: ReadonlyMap<string, Uint8Array>;
  signal: AbortSignal;
}

/** It belongs to root, so the agent cannot change its skills. It is outside Python's path. */
const skills_folder = 'opt/skills';

export interface AppImage {
  /** `sha256:…`. Containers start from this id, so a moved tag cannot change them. */
  id: string;
  tag: string;
}

/**
 * Adds one layer to the dependency image, with the wrapper and the user's files. No program runs. A Dockerfile or .dockerignore of the user is
 * an ordinary file. The same content gives the same id. Throws `build_failed` when the engine cannot load the image.
 */
export async function buildAppImage(engine: Engine, input: AppImageInput): Promise<AppImage> {
  const { dependency_image, signal } = input;
  const name = `svc-app:${createHash('sha256')
    .update(JSON.stringify([engine.installation_id, input.team_id, input.agent, input.digest]))
    .digest('hex')}`;
  const below = await ask(engine.docker.getImage(dependency_image).inspect(), { signal });
  const layer = writeLayer([
    { folder: 'opt/svc', files: input.metadata },
    { folder: 'opt/svc/_svc_wrapper', files: input.wrapper },
    ...(input.skills.size === 0 ? [] : [{ folder: skills_folder, files: input.skills }]),
    { folder: 'app', owner: sandbox_user, files: input.files },
  ]);
  const config = writeConfig(below, {
    env: {
      PATH: '/opt/venv/bin:/usr/local/bin:/usr/bin:/bin',
      PYTHONPATH: '/opt/svc',
      PYTHONUNBUFFERED: '1',
      ...entryVariables(input.entry),
      ...(input.skills.size === 0 ? {} : { SVC_SKILLS_DIR: `/${skills_folder}` }),
    },
    user: `${sandbox_user}:${sandbox_user}`,
    workdir: '/app',
    cmd: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
    labels: labels(engine, input),
    diff_ids: [layer.diff_id],
    contents: `the wrapper, and the files of ${input.agent} ${input.version}`,
    created: input.created_at,
  });
  const id = await loadImage(engine, { config, below, layers: [layer], name, signal });
  return { id, tag: name };
}

function labels(
  engine: Engine,
  { agent, version, digest, created_at, dependency_image }: AppImageInput,
): Record<string, string> {
  return {
    ...labelsFor(engine, 'app'),
    [label.agent]: agent,
    [label.dependencies]: dependency_image,
    'org.opencontainers.image.title': agent,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': digest,
    'org.opencontainers.image.created': created_at,
  };
}

/** The entry for the wrapper's settings. */
function entryVariables({ file, name, module, source_roots }: ProjectEntry): Record<string, string> {
  return {
    SVC_ENTRY_FILE: file,
    ...(name === undefined ? {} : { SVC_ENTRY_NAME: name }),
    SVC_ENTRY_MODULE: module,
    SVC_SOURCE_ROOTS: source_roots.join(':'),
  };
}
