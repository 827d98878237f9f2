import { expect, test } from 'vitest';
import { scalerRuleOf } from '@gantry/project/agent-yaml/scaling.ts';
import { isCalm, wantedInstances, type Measured, type ScalingRule } from './scaling.ts';

const scaling = { min: 1, max: 10, target_cpu: 70, target_concurrency: 8, calm_before_removal_ms: 5 * 60_000 };
const measured = (changes: Partial<Measured> = {}): Measured => ({
  instances: 2,
  cpu_percent: 50,
  open_calls: 0,
  places: undefined,
  calm_ms: 0,
  idle_ms: 0,
  since_removed_ms: Infinity,
  ...changes,
});
const wanted = (changes?: Partial<Measured>, of: ScalingRule = scaling) =>
  wantedInstances(of, measured(changes)).instances;

test('load above the target adds what it needs, at most as many as there are, and never more than max', () => {
  expect(wanted({ cpu_percent: 71 })).toBe(3);
  expect(wanted({ cpu_percent: 100, instances: 5 })).toBe(8);
  expect(wanted({ cpu_percent: 400 })).toBe(4);
  expect(wanted({ cpu_percent: 400 }, { ...scaling, max: 3 })).toBe(3);
  expect(wanted({ cpu_percent: 70 })).toBe(2);
});

test('open calls above the target add what they need, also without a use of the processor; the larger need counts', () => {
  const waiting = { instances: 1, cpu_percent: undefined };
  expect(wanted({ ...waiting, open_calls: 8 })).toBe(1);
  expect(wanted({ ...waiting, open_calls: 9 })).toBe(2);
  expect(wanted({ instances: 4, cpu_percent: 1, open_calls: 41 })).toBe(6);
  expect(wanted({ ...waiting, open_calls: 400 })).toBe(2);
  expect(wanted({ instances: 4, cpu_percent: 100, open_calls: 57 })).toBe(8);
  expect(wanted({ instances: 4, cpu_percent: 100, open_calls: 33 })).toBe(6);
  expect(wantedInstances(scaling, measured({ instances: 1, open_calls: 20 })).why).toBe(
    '20 open calls; the target is 8 for each container.',
  );
});

test('without a target for open calls it is half of the places, and without places only the processor counts', () => {
  const unset = { ...scaling, target_concurrency: undefined };
  expect([2, 3].map((open_calls) => wanted({ instances: 1, places: 4, open_calls }, unset))).toEqual([1, 2]);
  expect(wanted({ instances: 1, places: 1, open_calls: 2 }, unset)).toBe(2);
  expect(wanted({ instances: 1, open_calls: 100 }, unset)).toBe(1);
});

test('one instance a minute goes after five calm minutes, and never one below min', () => {
  const calm_ms = 5 * 60_000;
  expect(wanted({ calm_ms: calm_ms - 1, cpu_percent: 5 })).toBe(2);
  expect(wanted({ calm_ms, cpu_percent: 5 })).toBe(1);
  expect(wanted({ calm_ms, cpu_percent: 5, since_removed_ms: 59_999 })).toBe(2);
  expect(wanted({ calm_ms, cpu_percent: 5, instances: 1 })).toBe(1);
  expect(wanted({ calm_ms, cpu_percent: 5 }, { ...scaling, min: 2 })).toBe(2);
});

test('with min 0 the last instance goes after five minutes without calls, and no other one does', () => {
  const sleepy = { ...scaling, min: 0 };
  const last = { instances: 1, cpu_percent: undefined };
  const idle_ms = 5 * 60_000;
  expect(wanted({ ...last, idle_ms: idle_ms - 1, calm_ms: Infinity }, sleepy)).toBe(1);
  expect(wanted({ ...last, idle_ms }, sleepy)).toBe(0);
  expect(wanted({ ...last, idle_ms })).toBe(1);
  expect(wanted({ instances: 2, idle_ms }, sleepy)).toBe(2);
  expect(wanted({ instances: 2, idle_ms, calm_ms: idle_ms, cpu_percent: 0 }, sleepy)).toBe(1);
});

test('changed bounds apply at once, and without a measurement nothing else changes', () => {
  expect(wanted({ instances: 1 }, { ...scaling, min: 3 })).toBe(3);
  expect(wanted({ instances: 5 }, { ...scaling, max: 2 })).toBe(2);
  expect(wanted({ cpu_percent: undefined, calm_ms: Infinity })).toBe(2);
});

test('it is calm when one instance less would stay below the targets', () => {
  const calm = (changes: Partial<Measured>) => isCalm(scaling, measured(changes));
  expect([calm({ cpu_percent: 34 }), calm({ cpu_percent: 36 })]).toEqual([true, false]);
  expect([calm({ cpu_percent: 0, open_calls: 8 }), calm({ cpu_percent: 0, open_calls: 9 })]).toEqual([true, false]);
  expect([calm({ instances: 1, cpu_percent: 0 }), calm({ cpu_percent: undefined })]).toEqual([false, false]);
});

test('a scaler of the target gets the rule only where `target_cpu` is the one rule', () => {
  const rule = (scaling: object) => scalerRuleOf({ deploy: { scaling } });
  expect(rule({ min: 1, max: 4, target_cpu: 60 })).toEqual({ min: 1, max: 4, target_cpu: 60 });
  expect(rule({ max: 4, target_cpu: 60 })).toEqual({ min: 1, max: 4, target_cpu: 60 });
  for (const other of [
    { min: 1, max: 4 },
    { min: 1, max: 4, target_cpu: 60, target_concurrency: 8 },
    { min: 0, max: 4, target_cpu: 60 },
    { min: 4, max: 4, target_cpu: 60 },
  ])
    expect(rule(other)).toBeUndefined();
});
