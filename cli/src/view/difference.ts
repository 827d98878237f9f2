import { bad, good, whole, type View } from './view.ts';

/** Edits are few and small, so it shows only the lines between the common beginning and the common end. */
export function difference(before: string[], after: string[]): View {
  if (before.length === after.length) {
    return before.flatMap((text, n) =>
      text === after[n] ? [] : [whole(bad(`  - ${text}`)), whole(good(`  + ${after[n] ?? ''}`))],
    );
  }
  const start = before.findIndex((text, n) => text !== after[n]);
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [
    ...before.slice(start, before.length - end).map((text) => whole(bad(`  - ${text}`))),
    ...after.slice(start, after.length - end).map((text) => whole(good(`  + ${text}`))),
  ];
}
