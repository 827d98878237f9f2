import { expect, test } from 'vitest';
import { dialledUrl } from '../dial-in/dialled.ts';
import { countSilences } from './silences.ts';

const url = 'http://10.0.0.1:8080';

test('a container hangs after three successive unanswered looks, and an answer resets the count', () => {
  const silences = countSilences(0);
  const busy = { status: 'ready', in_flight: 64 } as const;
  const silent = (started_at = 'then', id = 'one') => silences.areTooMany({ id, started_at, url }, undefined);
  expect([silent(), silent()]).toEqual([false, false]);
  expect(silences.areTooMany({ id: 'one', started_at: 'then', url }, busy)).toBe(false);
  expect([silent(), silent()]).toEqual([false, false]);
  expect(silent('then', 'two')).toBe(false);
  expect(silent('later')).toBe(false);
  expect([silent('later'), silent('later')]).toEqual([false, true]);
});

test('a container that refuses connections while it ends has eight seconds for that', () => {
  const silences = countSilences();
  const looks = [0, 1500, 3000, 4500, 7999, 8000];
  const hangs = looks.map((at) => silences.areTooMany({ id: 'one', started_at: 'then', url }, undefined, at));
  expect(hangs).toEqual([false, false, false, false, false, true]);
});

test('an instance that dials in has a minute to come back', () => {
  const silences = countSilences();
  const row = { id: 'one', started_at: 'then', url: dialledUrl('one') };
  const hangs = [0, 8000, 30_000, 59_999, 60_000].map((at) => silences.areTooMany(row, undefined, at));
  expect(hangs).toEqual([false, false, false, false, true]);
});
