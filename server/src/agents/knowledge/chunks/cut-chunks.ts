// Cuts a text into chunks by its structure. A chunk begins at a heading; tables and code stay whole where they fit; the rest is cut at paragraphs, lines,
// sentences and words, in this order. Each chunk is a range of bytes of the text, so a citation means exact bytes.
import { blocksOf, type Block } from './blocks.ts';

export interface Chunk {
  /** Bytes in the text. */
  start: number;
  end: number;
  /** Around the chunk, the outermost first. A later part of a table has the head row as the last one. */
  headings: string[];
  text: string;
}

export interface ChunkSizes {
  /** Characters. */
  chunk_size: number;
  /** Characters at the begin of a chunk that end the one before, within one section; at most half of a chunk. */
  chunk_overlap: number;
}

export function cutChunks(text: string, sizes: ChunkSizes): Chunk[] {
  const { chunk_size } = sizes;
  // More would make a chunk of each few characters.
  const chunk_overlap = Math.min(sizes.chunk_overlap, Math.floor(chunk_size / 2));
  const ranges: Cut[] = [];
  let open: Cut | undefined;
  let section: readonly string[] | undefined;
  const close = () => {
    if (open !== undefined) ranges.push(open);
    open = undefined;
  };
  for (const block of blocksOf(text)) {
    if (section !== block.headings) close();
    section = block.headings;
    const isLong = block.end - block.start > chunk_size;
    for (const piece of piecesOf(text, block, chunk_size - (isLong ? chunk_overlap : 0))) {
      if (open !== undefined && piece.end - open.start <= chunk_size) {
        open.end = piece.end;
        continue;
      }
      const before: Range | undefined = open;
      close();
      const overlap = { chunk_size, chunk_overlap, is_lines: block.is_lines };
      const start = before === undefined ? piece.start : overlapStart(text, before, piece, overlap);
      open = { start, end: piece.end, headings: headingsOf(block, piece) };
    }
  }
  close();
  return withBytes(text, ranges);
}

interface Range {
  start: number;
  end: number;
}

interface Cut extends Range {
  headings: string[];
}

/** A later part of a table has the head row of its table as the last of its headings. */
const headingsOf = ({ start, headings, head_row }: Block, piece: Range) =>
  head_row === undefined || piece.start === start ? headings : [...headings, head_row];

/** A block that is too long is cut where it reads best. */
function piecesOf(text: string, block: Block, size: number): Range[] {
  const pieces: Range[] = [];
  let start = block.start;
  while (block.end - start > size) {
    const end = start + bestCut(text.slice(start, start + size), block);
    pieces.push({ start, end });
    start = end;
  }
  if (block.end > start) pieces.push({ start, end: block.end });
  return pieces;
}

/** After a line, a sentence or a word, in the second half; a row of a table and a line of code stay whole where they fit. Never inside a character. */
function bestCut(part: string, { is_lines }: Block): number {
  const half = Math.floor(part.length / 2);
  const line = part.lastIndexOf('\n');
  if (line >= (is_lines ? 0 : half)) return line + 1;
  const sentence = Math.max(...['. ', '? ', '! ', '。'].map((mark) => part.lastIndexOf(mark)));
  if (sentence >= half) return sentence + 1;
  const word = part.lastIndexOf(' ');
  if (word >= half) return word + 1;
  return part.length > 1 && isHighSurrogate(part.charCodeAt(part.length - 1)) ? part.length - 1 : part.length;
}

function overlapStart(
  text: string,
  before: Range,
  piece: Range,
  { chunk_size, chunk_overlap, is_lines }: ChunkSizes & { is_lines: boolean },
): number {
  const room = Math.min(chunk_overlap, chunk_size - (piece.end - piece.start), before.end - before.start);
  if (room <= 0) return piece.start;
  const tail = text.slice(before.end - room, before.end);
  // From the begin of a word, or of a line.
  const first = tail.search(is_lines ? /\n[^]/ : /\s\S/);
  const start = first < 0 ? piece.start : before.end - room + first + 1;
  return isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00;
const isLowSurrogate = (code: number) => code >= 0xdc00 && code < 0xe000;

/** Without blank chunks. Starts and ends are in order, so each byte is counted a bounded number of times. */
function withBytes(text: string, ranges: readonly Cut[]): Chunk[] {
  const chunks: Chunk[] = [];
  let at = 0;
  let bytes = 0;
  for (const { start, end, headings } of ranges) {
    const passage = text.slice(start, end).trimEnd();
    if (passage.trim() === '') continue;
    bytes += start >= at ? Buffer.byteLength(text.slice(at, start)) : -Buffer.byteLength(text.slice(start, at));
    at = start;
    chunks.push({ start: bytes, end: bytes + Buffer.byteLength(passage), headings, text: passage });
  }
  return chunks;
}
