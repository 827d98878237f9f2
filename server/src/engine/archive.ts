import { Header, Pax } from 'tar';

export interface ArchiveEntry {
  path: string;
  /** A directory when there is no content. */
  content?: Uint8Array | string;
  mode?: number;
  owner?: number;
}

/** Packs entries held in memory into a tar, byte for byte the same for the same entries: layers are cached by content. */
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
  // What a plain header cannot say (long or non-ASCII paths) goes ahead of it as an extended header.
  if (header.encode(block)) yield new Pax({ path: about.path }).encode();
  yield block;
  yield bytes;
  yield Buffer.alloc((512 - (bytes.length % 512)) % 512);
}
