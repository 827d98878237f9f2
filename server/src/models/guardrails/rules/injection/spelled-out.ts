// Orders with something between all their letters: `i g n o r e  a l l …`. The ends of words are lost, so only the order itself is searched.

/** The places of such orders. */
export function findSpelledOut(text: string): { start: number; end: number }[] {
  return [...text.matchAll(spelledOut)]
    .filter(([written]) => order.test(written.replaceAll(/[^a-z]/gi, '')))
    .map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}

/** The shortest order has 16 letters. Longer texts are read in pieces that are longer than each order. */
const spelledOut = /(?<![a-z])[a-z](?:[ .,_*|/-]{1,3}[a-z]){15,300}(?![a-z])/gi;

const order =
  /(?:ignore|disregard|forget|override)(?:all|any|of|the|your|my|these){0,4}(?:previous|prior|earlier|above|preceding|system|original){1,3}(?:instruction|prompt|rule|direction|guideline|message|command)/i;
