// Checkpoints in a file, one JSON line each: the copy in the data directory, and the copy on another volume. The file only grows, and each
// append is synced before it counts. Lines of other servers are read before an append. This file never creates the directory: a missing
// directory means that the volume is not mounted.
import { open, stat } from 'node:fs/promises';
import type { Chain } from '@gantry/contract/audit/audit.ts';
import { linesOf } from '../../../../../verifier/verify.mjs';

export interface CheckpointLine {
  kind: 'checkpoint';
  chain: Chain;
  note: string;
}

export interface CheckpointFile {
  path: string;
  /** The last note of each chain. */
  newest(): Promise<ReadonlyMap<Chain, string>>;
  all(): AsyncIterable<CheckpointLine>;
  append(lines: readonly CheckpointLine[]): Promise<void>;
}

export function checkpointFile(path: string): CheckpointFile {
  let known = { bytes: 0, newest: new Map<Chain, string>() };

  async function newest() {
    const bytes = await sizeOf(path);
    // A shorter file was truncated, so it is read again from the start.
    if (bytes < known.bytes) known = { bytes: 0, newest: new Map() };
    if (bytes > known.bytes) {
      for await (const { chain, note } of checkpointsIn(path, known.bytes, bytes)) known.newest.set(chain, note);
      known.bytes = bytes;
    }
    return known.newest;
  }

  return {
    path,
    newest,
    all: () => checkpointsIn(path),
    append: async (lines) => {
      const file = await open(path, 'a', 0o600);
      try {
        // A line that a crash cut off stays. The next checkpoint begins a new line.
        const broken = !(await endsWithLine(path));
        await file.appendFile((broken ? '\n' : '') + lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}

async function* checkpointsIn(path: string, start = 0, end = Infinity): AsyncIterable<CheckpointLine> {
  if ((await sizeOf(path)) <= start) return;
  for await (const lines of linesOf(path, { start, end: end - 1 }))
    yield* lines.map(parse).filter((line) => line !== undefined);
}

// Foreign lines are ignored. A forged line has no valid signature, and verification reports it.
function parse(line: string): CheckpointLine | undefined {
  try {
    const read = JSON.parse(line) as Partial<CheckpointLine> | null; // checked below
    const isOurs = read?.kind === 'checkpoint' && typeof read.chain === 'string' && typeof read.note === 'string';
    return isOurs ? (read as CheckpointLine) : undefined;
  } catch {
    return undefined;
  }
}

async function endsWithLine(path: string): Promise<boolean> {
  const bytes = await sizeOf(path);
  if (bytes === 0) return true;
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, bytes - 1);
    return buffer.toString() === '\n';
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}
