import { expect, test } from 'vitest';
import { fallenRatios } from './held-ratios.ts';
import type { Row } from './row.ts';

const held = { invoke: { 'a call': 0.8 } };
const row = (rate: number): Row => ({ measure: 'a call', unit: 'requests/s', samples: [rate], bare: [100], how: '' });
const said = (rows: Row[]) => fallenRatios([{ name: 'invoke', rows }], held);

test('a ratio that falls by more than 15 % fails the run, and so does one that is no longer measured', () => {
  expect(said([row(95)])).toEqual([]);
  expect(said([row(69)])).toEqual([]);
  expect(said([row(67)])).toEqual(['invoke: the ratio of "a call" has fallen from 0.80 to 0.67.']);
  const { bare: _, ...alone } = row(95);
  for (const rows of [[], [alone], [{ ...row(95), samples: [] }]])
    expect(said(rows)).toEqual(['invoke: "a call" was not measured, and its ratio may not be lost.']);
  expect(fallenRatios([{ name: 'gateway', rows: [] }], held)).toEqual([]);
});
