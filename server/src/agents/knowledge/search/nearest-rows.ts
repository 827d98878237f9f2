// The exact comparison of a question with every visible vector of an index. 20,000 vectors of 384 numbers take some 6 ms on one core. Vectors of 8-bit
// numbers take as long without SIMD, and would need a second, exact pass.

export interface Question {
  /** One row after the other, each of length 1. */
  vectors: Float32Array;
  /** Of length 1. Its length is that of a row. */
  question: Float32Array;
  /** Not 0 for each row that may be found. Undefined: all rows. */
  visible: Uint8Array | undefined;
  limit: number;
}

/** The nearest rows first. A score is a cosine. Rows of equal scores are in their order. */
export interface NearestRows {
  rows: Uint32Array;
  scores: Float32Array;
}

/** A hidden row is not compared: neither the result nor the time depends on it. */
export function nearestRows({ vectors, question, visible, limit }: Question): NearestRows {
  const dimensions = question.length;
  // The product of 64-bit numbers needs one conversion less.
  const asked = Float64Array.from(question);
  const rows = new Uint32Array(limit);
  const scores = new Float32Array(limit);
  let found = 0;
  const count = vectors.length / dimensions;
  for (let row = 0; row < count; row++) {
    if (visible?.[row] === 0) continue;
    const score = product(asked, vectors, row * dimensions);
    const last = found === limit ? scores[limit - 1] : -Infinity;
    // A row without a direction has no score (NaN).
    if (last === undefined || !(score > last)) continue;
    let place = found === limit ? limit - 1 : found++;
    while (place > 0 && score > (scores[place - 1] ?? Infinity)) place--;
    scores.copyWithin(place + 1, place, found - 1);
    rows.copyWithin(place + 1, place, found - 1);
    scores[place] = score;
    rows[place] = row;
  }
  return { rows: rows.slice(0, found), scores: scores.slice(0, found) };
}

/** Four sums, because one sum would wait for itself at each step. */
function product(asked: Float64Array, vectors: Float32Array, start: number): number {
  const dimensions = asked.length;
  const whole = dimensions - (dimensions % 4);
  let [one, two, three, four] = [0, 0, 0, 0];
  // Each place is inside both arrays.
  for (let n = 0, at = start; n < whole; n += 4, at += 4) {
    one += (asked[n] ?? 0) * (vectors[at] ?? 0);
    two += (asked[n + 1] ?? 0) * (vectors[at + 1] ?? 0);
    three += (asked[n + 2] ?? 0) * (vectors[at + 2] ?? 0);
    four += (asked[n + 3] ?? 0) * (vectors[at + 3] ?? 0);
  }
  for (let n = whole; n < dimensions; n++) one += (asked[n] ?? 0) * (vectors[start + n] ?? 0);
  return Math.fround(one + two + three + four);
}
