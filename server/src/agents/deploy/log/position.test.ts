import { expect, test } from 'vitest';
import { printPosition, readPosition } from './position.ts';

const at = '2026-01-31T12:00:00.000000001Z';

test('an id is read as it was printed, and the id of another stream is none', () => {
  const [one, other] = ['0192f0c4-1111', '0192f0c4-2222'];
  const sources = new Map([
    [one, at],
    [other, undefined],
  ]);
  for (const position of [
    { floor: at, sources: new Map() },
    { floor: at, sources },
    { floor: undefined, sources },
  ])
    expect(readPosition(printPosition(position))).toEqual(position);
  const others = ['', '7', 'nonsense', `${at};`, `${at};x=${at}`, `${at};${one}=7`, `${at};${one}=${at}=${at}`];
  for (const id of [...others, `${at}${`;${one}=${at}`.repeat(400)}`]) expect(readPosition(id)).toBeUndefined();
});
