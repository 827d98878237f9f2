import { expect, test } from 'vitest';
import { countSilences } from './silences.ts';

test('a container hangs after three successive unanswered looks, and an answer resets the count', () => {
  const silences = countSilences(0);
  const busy = { status: 'ready', in_flight: 64 } as const;
  const silent = (started_at = 'then', id = 'one') => silences.areTooMany({ id, started_at }, undefined);
  expect([silent(), silent()]).toEqual([false, false]);
  expect(silences.areTooMany({ id: 'one', started_at: 'then' }, busy)).toBe(false);
  expect([silent(), silent()]).toEqual([false, false]);
  expect(silent('then', 'two')).toBe(false);
  expect(silent('later')).toBe(false);
  expect([silent('later'), silent('later')]).toEqual([false, true]);
});

test('a container that refuses connections while it ends has eight seconds for that', () => {
  const silences = countSilences();
  const looks = [0, 1500, 3000, 4500, 7999, 8000];
  const hangs = looks.map((at) => silences.areTooMany({ id: 'one', started_at: 'then' }, undefined, at));
  expect(hangs).toEqual([false, false, false, false, false, true]);
});
