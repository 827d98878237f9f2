// The exact search by meaning: it compares the question with every vector, and has no index that could miss one. 10,000 vectors of 1,536 numbers take
// some 50 ms on one core. Other requests are served between the parts.
import { yieldTurn } from '../yield-turn.ts';

/** A thing that can be found, such as an item of a store, or a part of a document. */
interface Findable {
  /** Of length 1. Those of other dimensions than the question's are far from everything. */
  vectors: readonly Float32Array[];
}

interface Near<Thing> {
  thing: Thing;
  /** The cosine of its nearest vector: 1 for the same direction, at least -1. */
  score: number;
}

/** Between two looks at the clock. */
const part = 256;

/** The nearest `most` things, the best first. Things without vectors are not among them. */
export async function nearest<Thing extends Findable>(
  question: Float32Array,
  among: readonly Thing[],
  { most, signal }: { most: number; signal?: AbortSignal },
): Promise<Near<Thing>[]> {
  const found: Near<Thing>[] = [];
  for (const [n, thing] of among.entries()) {
    if (n % part === 0) await yieldTurn(signal);
    const score = Math.max(...thing.vectors.map((vector) => cosine(question, vector)));
    if (score >= -1) found.push({ thing, score });
  }
  return found.toSorted((a, b) => b.score - a.score).slice(0, most);
}

/** Of vectors of length 1. Rounding goes past neither end. */
function cosine(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return -Infinity;
  let product = 0;
  for (let n = 0; n < one.length; n++) product += (one[n] ?? 0) * (other[n] ?? 0); // n is below both lengths
  return Math.max(-1, Math.min(1, product));
}
