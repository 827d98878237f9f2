import { expect, test } from 'vitest';
import { lastLines } from './backlog.ts';

async function* counted(count: number) {
  for (let index = 0; index < count; index++)
    yield { at: `2026-01-31T12:00:00.${String(index).padStart(9, '0')}Z`, line: `line ${index}`.padEnd(10) };
}

async function linesOf(tail: number, max?: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const { line } of lastLines(counted(5000), { tail, ...(max === undefined ? {} : { max }) }))
    lines.push(line);
  return lines;
}

test('the last lines of a long list come alone, and a notice says when the memory holds fewer', async () => {
  expect(await linesOf(2)).toEqual(['line 4998 ', 'line 4999 ']);
  expect(await linesOf(0)).toEqual([]);
  expect(await linesOf(5000)).toHaveLength(5000);
  expect(await linesOf(9000)).toHaveLength(5000);
  expect(await linesOf(5000, 25)).toEqual([expect.stringContaining('log_cut'), 'line 4998 ', 'line 4999 ']);
});
