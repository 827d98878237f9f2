import type { ProjectEntry } from '@gantry/contract/agent-project.ts';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { packArchive, type ArchiveEntry } from '../../engine/archive.ts';
import { ask, type Engine } from '../../engine/client.ts';
import { label, labelsFor } from '../../engine/labels.ts';
import { sandbox_user } from '../../engine/sandbox.ts';
import { readBuildOutput } from './build-output.ts';

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
  signal: AbortSignal;
}

export interface AppImage {
  /** `sha256:…`. Containers start from this id, so a moved tag cannot change them. */
  id: string;
  tag: string;
}

/**
 * Copies the wrapper and the user's files over the dependency image. No step of the build runs a program. A Dockerfile or .dockerignore
 * of the user is an ordinary file. Throws `build_failed` when the engine cannot build the image.
 */
export async function buildAppImage(engine: Engine, input: AppImageInput): Promise<AppImage> {
  const tag = `svc-app:${createHash('sha256')
    .update(JSON.stringify([engine.installation_id, input.team_id, input.agent, input.digest]))
    .digest('hex')}`;
  const context = packArchive(contextEntries(engine, input));
  // An abort of the request ends the build at once.
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(build_seconds * 1000)]);
  const options = { version: '2', t: tag, forcerm: true, abortSignal: signal } as const;
  const build = engine.docker
    .buildImage(Readable.from([context]), options)
    .then((output) => readBuildOutput(engine, output));
  const id = await ask(build, { seconds: build_seconds, signal: input.signal });
  return { id, tag };
}

/** Copying 200 MB takes seconds. This limit is for a hanging engine. */
const build_seconds = 300;

function labels(
  engine: Engine,
  { agent, version, digest, created_at, dependency_image }: AppImageInput,
): Record<string, string> {
  return {
    ...labelsFor(engine, 'app'),
    [label.agent]: agent,
    [label.dependencies]: dependency_image,
    // Each container inherits the labels of its image. This long one is cleared.
    [label.installed]: '',
    'org.opencontainers.image.title': agent,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': digest,
    'org.opencontainers.image.created': created_at,
  };
}

/** Entries are sorted and have no times. So unchanged files give an unchanged layer. */
function* contextEntries(engine: Engine, input: AppImageInput): Generator<ArchiveEntry> {
  const { dependency_image, files, wrapper, metadata } = input;
  yield { path: 'Dockerfile', content: dockerfile(dependency_image, input.entry, labels(engine, input)) };
  yield { path: 'svc' };
  for (const [path, content] of sorted(metadata)) yield { path: `svc/${path}`, content };
  for (const [path, content] of sorted(wrapper)) yield { path: `svc/_svc_wrapper/${path}`, content };
  yield { path: 'app', owner: sandbox_user };
  for (const [path, content] of sorted(files)) yield { path: `app/${path}`, content, owner: sandbox_user };
}

function dockerfile(base: string, entry: ProjectEntry, imageLabels: Record<string, string>): string {
  return `${[
    `FROM ${base}`,
    'COPY svc/ /opt/svc/',
    `COPY --chown=${sandbox_user}:${sandbox_user} app/ /app/`,
    'ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin PYTHONPATH=/opt/svc PYTHONUNBUFFERED=1',
    ...Object.entries(entryVariables(entry)).map(([name, value]) => `ENV ${name}=${quoted(value)}`),
    'WORKDIR /app',
    `USER ${sandbox_user}:${sandbox_user}`,
    'ENTRYPOINT []',
    'CMD ["/opt/venv/bin/python", "-m", "_svc_wrapper"]',
    // Last, because they change most often.
    ...Object.entries(imageLabels).map(([name, value]) => `LABEL ${name}=${quoted(value)}`),
  ].join('\n')}\n`;
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

/** A value never ends its line and never becomes a variable. */
function quoted(value: string): string {
  if (/[\n\r\0]/.test(value)) throw new Error('A value of an image cannot hold a line break');
  return `"${value.replaceAll(/["\\$]/g, String.raw`\$&`)}"`;
}

function sorted(files: ReadonlyMap<string, Uint8Array>): [string, Uint8Array][] {
  return [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
