// What leaves a sandbox beside its printed text: single files, and its own layer as an image. A command of the project had the same
// sandbox, so the engine's archive of a file is hostile input.
import { Problem } from '@gantry/contract/problems.ts';
import type Docker from 'dockerode';
import { Readable } from 'node:stream';
import { Parser, type ReadEntry } from 'tar';
import { ask } from '../docker/client.ts';
import { label, type Labels } from '../docker/labels.ts';

/** Receives the content of one file while the sandbox exists. */
export type ReadOutput = (content: Readable, size_bytes: number) => Promise<void>;

/** The image that the engine makes of a sandbox's layer. */
export interface KeptImage {
  labels: Labels;
  /** `repo:tag` */
  name?: string;
  cmd?: string[];
  /** Replaces the one of the base image. */
  path?: string;
}

const commit_seconds = 300;
const read_seconds = 300;

/** Returns the image's id. The image has no label of the sandbox's run. */
export async function keepImage(
  container: Docker.Container,
  { labels, name, cmd = [], path }: KeptImage,
  signal: AbortSignal,
): Promise<string> {
  const all = { ...labels, [label.run]: '', [label.fence]: '' };
  const changes = [
    ...(path === undefined ? [] : [`ENV PATH=${path}`]),
    `CMD ${JSON.stringify(cmd)}`,
    'WORKDIR /',
    ...Object.entries(all).map(([key, value]) => `LABEL ${key}="${value}"`),
  ];
  const [repo, tag] = name?.split(':') ?? [];
  // Untyped in the client; IdResponse of the engine's API.
  const options = { ...(repo === undefined ? {} : { repo, tag }), pause: false, changes };
  const committed = container.commit(options) as Promise<{ Id: string }>;
  // Committing a crew takes 11 s on a slow disk.
  return (await ask(committed, { seconds: commit_seconds, signal })).Id;
}

/** Reads one regular file of the stopped sandbox. Throws `build_failed` for anything else under this path. */
export async function readOutput(
  container: Docker.Container,
  path: string,
  o: { limit_bytes: number; read: ReadOutput; signal: AbortSignal },
): Promise<void> {
  const packed = (await ask(container.getArchive({ path }), { signal: o.signal })) as Readable; // a response of Node's HTTP client
  await readSingleFile(packed, path, o);
}

/** The engine packs a file into an archive of its own, which has exactly this entry. */
export async function readSingleFile(
  packed: Readable,
  path: string,
  { limit_bytes, read, signal }: { limit_bytes: number; read: ReadOutput; signal: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const name = path.split('/').at(-1);
  let entries = 0;
  const refuse = (why: string) =>
    reject(new Problem('build_failed', { detail: `The sandbox's ${path} is not taken: ${why}` }));
  let taken: Promise<void> | undefined;
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      entries += 1;
      const why = entries > 1 ? 'it has several entries' : refusal(entry, { name, limit_bytes });
      if (why !== undefined) return refuse(why);
      taken = read(Readable.from(entry), entry.size);
      taken.catch(reject);
    },
  });
  parser.on('end', () => {
    if (taken === undefined) reject(new Problem('build_failed', { detail: `The sandbox made no ${path}` }));
    else taken.then(resolve, reject);
  });
  packed.on('error', reject);
  parser.on('error', () => refuse('its archive cannot be read'));
  try {
    packed.pipe(parser);
    await ask(promise, { seconds: read_seconds, signal });
  } finally {
    packed.unpipe(parser);
    packed.destroy();
  }
}

function refusal(
  { type, path, mode = 0, size }: ReadEntry,
  { name, limit_bytes }: { name: string | undefined; limit_bytes: number },
): string | undefined {
  if (type !== 'File') return `it is a ${type}`;
  if (path !== name) return `its name is ${path}`;
  if ((mode & 0o7000) !== 0) return 'it has a setuid, setgid or sticky bit';
  if (size > limit_bytes) return `it has ${size} bytes, and ${limit_bytes} are allowed`;
  return undefined;
}
