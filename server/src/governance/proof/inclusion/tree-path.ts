import { nodeHash, openTree } from '../../../../../verifier/verify.mjs';

/**
 * The siblings on the path from a leaf to the root of the tree with `size` leaves, nearest first (RFC 9162, 2.1.3.1). Leaves before
 * `known.size` are given only by the peaks of their tree. Later leaves, including this one, are given one by one.
 */
export function pathTo(
  index: number,
  size: number,
  known: { size: number; peaks: string[]; leaves: string[] },
): string[] {
  const peaks = peaksByPlace(known.size, known.peaks);

  function hashOf(from: number, to: number): string {
    const peak = peaks.get(`${from}-${to}`);
    if (peak !== undefined) return peak;
    if (from >= known.size) return rootOf(known.leaves.slice(from - known.size, to - known.size));
    // Peaks give one part, leaves the other. A subtree beside the way is never smaller than its peak.
    const middle = from + leftSize(to - from);
    return nodeHash(hashOf(from, middle), hashOf(middle, to));
  }

  function climb(from: number, to: number): string[] {
    if (to - from === 1) return [];
    const middle = from + leftSize(to - from);
    return index < middle ? [...climb(from, middle), hashOf(middle, to)] : [...climb(middle, to), hashOf(from, middle)];
  }
  return climb(0, size);
}

/** The largest power of two below `size`. */
function leftSize(size: number): number {
  return 2 ** Math.floor(Math.log2(size - 1));
}

function peaksByPlace(size: number, peaks: readonly string[]): Map<string, string> {
  const places = new Map<string, string>();
  let from = 0;
  for (const peak of peaks) {
    const width = 2 ** Math.floor(Math.log2(size - from));
    places.set(`${from}-${from + width}`, peak);
    from += width;
  }
  return places;
}

function rootOf(leaves: readonly string[]): string {
  const tree = openTree();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root();
}
