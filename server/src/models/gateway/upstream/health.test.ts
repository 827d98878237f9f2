import { expect, test } from 'vitest';
import { openHealth } from './health.ts';

const place = { model_id: 'one', address: 'https://models.example.com' };

function stage() {
  let now_ms = 0;
  const health = openHealth({ now: () => now_ms });
  const fail = () => health.failed(place, 'down');
  return { health, fail, pass: (seconds: number) => (now_ms += seconds * 1000), permit: () => health.permit(place) };
}

test('five failures pause an upstream; then one probe is permitted, and its success permits everything', () => {
  const { health, fail, pass, permit } = stage();
  for (let n = 0; n < 4; n++) fail();
  expect(permit()).toEqual({ isPermitted: true });
  fail();
  expect(permit()).toEqual({ isPermitted: false, seconds: 5, isFull: false });
  pass(5);
  expect([permit(), permit()]).toEqual([{ isPermitted: true }, { isPermitted: false, seconds: 1, isFull: false }]);
  health.succeeded(place);
  expect([permit(), permit()]).toEqual([{ isPermitted: true }, { isPermitted: true }]);
});

test('each failed probe doubles the pause, up to five minutes', () => {
  const { fail, pass, permit } = stage();
  for (let n = 0; n < 5; n++) fail();
  const pauses = Array.from({ length: 8 }, () => {
    const permission = permit();
    const seconds = permission.isPermitted ? 0 : permission.seconds;
    pass(seconds);
    permit();
    fail();
    return seconds;
  });
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
});

test('failures of calls that were under way when the pause began do not prolong it', () => {
  const { fail, permit } = stage();
  for (let n = 0; n < 64; n++) fail();
  expect(permit()).toEqual({ isPermitted: false, seconds: 5, isFull: false });
});

test('a success between failures starts the count anew', () => {
  const { health, fail, permit } = stage();
  for (let n = 0; n < 20; n++) {
    fail();
    if (n % 4 === 3) health.succeeded(place);
  }
  expect(permit()).toEqual({ isPermitted: true });
});

test('a probe without a result lets the next call be the probe', () => {
  const { health, fail, pass, permit } = stage();
  for (let n = 0; n < 5; n++) fail();
  pass(5);
  permit();
  health.ended(place);
  expect(permit()).toEqual({ isPermitted: true });
});

test('a rest keeps its time, whatever else succeeds, and each model has its own', () => {
  const { health, pass, permit } = stage();
  health.rests(place, 60, true);
  health.succeeded(place);
  expect(permit()).toEqual({ isPermitted: false, seconds: 60, isFull: true });
  expect(health.permit({ ...place, model_id: 'two' })).toEqual({ isPermitted: true });
  pass(60);
  expect(permit()).toEqual({ isPermitted: true });
});
