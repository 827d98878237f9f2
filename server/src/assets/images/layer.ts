// The layers that the service writes itself. The same files give the same bytes: sorted, with our owner, mode and time. A layer has files
// and folders only, so it has no link, no device, no extended attribute and no setuid bit.
import { createHash } from 'node:crypto';
import { packArchive, type ArchiveEntry } from '../docker/archive.ts';

export interface Layer {
  /** `sha256:…` of the bytes. The layer is not compressed, so registries name it by the same digest. */
  diff_id: string;
  bytes: Buffer;
}

export interface Tree {
  /** The folder in the image, `app`. */
  folder: string;
  owner?: number;
  /** By path below the folder. */
  files: ReadonlyMap<string, Uint8Array>;
}

/** Throws for a path that leads out of its folder. */
export function writeLayer(trees: readonly Tree[]): Layer {
  const entries = new Map<string, ArchiveEntry>();
  for (const { folder, owner = 0, files } of trees) {
    for (const parent of parentsOf(`${folder}/`)) addFolder(entries, parent, parent === folder ? owner : 0);
    for (const [path, content] of files) {
      requireInside(path);
      const whole = `${folder}/${path}`;
      for (const parent of parentsOf(whole)) addFolder(entries, parent, parent.startsWith(`${folder}/`) ? owner : 0);
      if (entries.has(whole)) throw new Error(`A layer cannot have ${whole} twice`);
      entries.set(whole, { path: whole, content, owner });
    }
  }
  // A folder comes before its content.
  const sorted = [...entries.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const bytes = packArchive(sorted);
  return { diff_id: digestOf(bytes), bytes };
}

function addFolder(entries: Map<string, ArchiveEntry>, path: string, owner: number): void {
  const before = entries.get(path);
  if (before?.content !== undefined) throw new Error(`${path} is a file and a folder of a layer`);
  if (before === undefined) entries.set(path, { path, owner });
}

/** `a/b/c` → `a`, `a/b` */
function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function requireInside(path: string): void {
  const parts = path.split('/');
  if (path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new Error(`The path ${JSON.stringify(path)} leads out of its layer`);
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
