import { Header, Pax } from 'tar';

export interface ArchiveEntry {
  path: string;
  /** Without content, the entry is a directory. */
  content?: Uint8Array | string;
  mode?: number;
  owner?: number;
}

/** Packs entries into a tar in memory. The same entries give the same bytes, because layers are cached by content. */
export function packArchive(entries: Iterable<ArchiveEntry>): Buffer {
  const blocks: Buffer[] = [];
  for (const entry of entries) blocks.push(...packEntry(entry));
  blocks.push(Buffer.alloc(1024));
  return Buffer.concat(blocks);
}

function* packEntry({ path, content, mode, owner = 0 }: ArchiveEntry): Generator<Buffer> {
  const bytes = content === undefined ? Buffer.alloc(0) : Buffer.from(content);
  const about = {
    path: content === undefined ? `${path}/` : path,
    type: content === undefined ? ('Directory' as const) : ('File' as const),
    mode: mode ?? (content === undefined ? 0o755 : 0o644),
    uid: owner,
    gid: owner,
    size: bytes.length,
    mtime: new Date(0),
  };
  const header = new Header(about);
  const block = Buffer.alloc(512);
  // Long or non-ASCII paths do not fit a plain header, so an extended header precedes it.
  if (header.encode(block)) yield new Pax({ path: about.path }).encode();
  yield block;
  yield bytes;
  yield Buffer.alloc((512 - (bytes.length % 512)) % 512);
}
