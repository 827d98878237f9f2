/** The candidate that a person most likely meant by `word`; undefined when none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longest) return undefined;
  const typed = plain(word);
  let best: string | undefined;
  let bestDistance = 1 + Math.min(3, Math.floor(typed.length / 3));
  for (const candidate of candidates) {
    const distance = editDistance(typed, plain(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The cost is the product of both lengths. */
const longest = 40;

/** `maxTokens`, `max-tokens` and `max_tokens` are one word. */
const plain = (word: string): string => word.toLowerCase().replaceAll(/[-_ ]/g, '');

/** Insertions, removals, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : Infinity;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
