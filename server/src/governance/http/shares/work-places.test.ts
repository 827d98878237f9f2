import { expect, test } from 'vitest';
import { workPlaces, type Place } from './work-places.ts';

const never = new AbortController().signal;

/** Places, and the event loop's turns, one for each call of `turn`. */
function stage(most: { most_working: number; most_open: number }) {
  const later: (() => void)[] = [];
  const places = workPlaces({ ...most, later: (callback) => void later.push(callback) });
  const began: string[] = [];
  const inPlace = new Map<string, Place>();
  return {
    began,
    enter: (caller: string, name: string, signal = never) => {
      const entered = (async () => {
        const place = await places.enter(caller, signal);
        began.push(name);
        inPlace.set(name, place);
      })();
      entered.catch(() => {}); // the test awaits it
      return entered;
    },
    place: (name: string) => inPlace.get(name) as Place, // it began
    turn: async () => {
      for (const callback of later.splice(0)) callback();
      await new Promise(setImmediate);
    },
  };
}

test('beside the flood of one caller, another one begins at once', async () => {
  const { began, enter, turn } = stage({ most_working: 2, most_open: 100 });
  for (let n = 0; n < 40; n++) void enter('flood', `flood ${n}`);
  for (let n = 0; n < 10; n++) await turn();
  expect(began).toEqual(['flood 0', 'flood 1']);
  await enter('quiet', 'quiet');
  expect(began).toEqual(['flood 0', 'flood 1', 'quiet']);
});

test('one waiting request begins in each turn: of the caller with the least work, then the one that waits longest', async () => {
  const { began, enter, place, turn } = stage({ most_working: 3, most_open: 100 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void enter('a', name);
  await turn();
  for (const name of ['b1', 'b2', 'c1', 'c2']) void enter(name.charAt(0), name);
  await turn();
  // a has two places, b and c have one each, and b has waited longer than c.
  expect(began).toEqual(['a1', 'a2', 'b1', 'c1', 'b2']);
  await turn();
  expect(began.at(-1)).toBe('c2');
  await turn();
  expect(began.at(-1)).toBe('a3');
  await turn();
  expect(began).toHaveLength(7);
  place('a1').end();
  await turn();
  expect(began.at(-1)).toBe('a4');
});

test('a wait for something else gives the place to the next request, and what goes on comes before what begins', async () => {
  const { began, enter, place, turn } = stage({ most_working: 1, most_open: 100 });
  for (const name of ['one', 'two', 'three']) void enter('a', name);
  await turn();
  const answer = Promise.withResolvers<string>();
  const waiting = place('one').whileWaiting(answer.promise);
  const settled = waiting.then((said) => began.push(`one: ${said}`));
  await turn();
  expect(began).toEqual(['one', 'two']);
  answer.resolve('the answer');
  await turn();
  expect(began).toEqual(['one', 'two']);
  place('two').end();
  await turn();
  await settled;
  expect(began).toEqual(['one', 'two', 'one: the answer']);
  place('one').end();
  await turn();
  expect(began.at(-1)).toBe('three');
});

test('the parts of a request wait side by side, and what ended meanwhile waits for no place', async () => {
  const { began, enter, place } = stage({ most_working: 1, most_open: 100 });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await enter('a', 'one');
  const parts = [first, second].map(async ({ promise }) => await place('one').whileWaiting(promise));
  await enter('a', 'two');
  first.resolve();
  await parts[0];
  place('one').end();
  second.resolve();
  await parts[1];
  place('two').end();
  await enter('a', 'three');
  expect(began).toEqual(['one', 'two', 'three']);
});

test('a caller has a limit of open requests; one that left, waiting or answered, makes room', async () => {
  const { began, enter, place, turn } = stage({ most_working: 1, most_open: 2 });
  await enter('a', 'one');
  const gone = new AbortController();
  const leaving = enter('a', 'two', gone.signal);
  const refusal = { code: 'too_many_requests', retry_after_seconds: 1 };
  await expect(enter('a', 'three')).rejects.toMatchObject(refusal);
  await enter('b', 'another caller');
  gone.abort(new Error('the client left'));
  await expect(leaving).rejects.toThrow('the client left');
  void enter('a', 'four');
  place('one').end();
  await turn();
  expect(began).toEqual(['one', 'another caller', 'four']);
  // The answer of the first is still read.
  await expect(enter('a', 'five')).rejects.toMatchObject(refusal);
  place('one').leave();
  void enter('a', 'six');
  place('four').end();
  await turn();
  expect(began.at(-1)).toBe('six');
});
