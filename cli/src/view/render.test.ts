import { expect, test } from 'vitest';
import { render, type Surface } from './render.ts';
import { fields, good, line, table, time, verbatim } from './view.ts';
import { widthOf } from './width.ts';

const plain: Surface = { colour: false, columns: undefined, now: undefined };
const terminal: Surface = { colour: true, columns: 40, now: Date.parse('2026-01-31T12:00:00Z') };

test('a table fits the terminal, and short columns stay whole', () => {
  const rows = [['greeter', 'serving', 'a description that is far longer than the terminal is wide']];
  const lines = render([table(['agent', 'state', 'description'], rows, '')], terminal)
    .trimEnd()
    .split('\n');
  for (const each of lines) expect(widthOf(each.replaceAll(/\u001b\[\d+m/g, ''))).toBeLessThanOrEqual(40);
  expect(lines[1]).toContain('greeter  serving  a description');
  expect(lines[1]).toMatch(/…$/);
});

test('nothing is cut where there is no terminal', () => {
  const long = 'x'.repeat(500);
  expect(render([table(['a'], [[long]], '')], plain)).toContain(long);
});

test('wide characters keep the columns aligned', () => {
  const [, first, second] = render(
    [
      table(
        ['name', 'state'],
        [
          ['你好', 'a'],
          ['abcd', 'b'],
        ],
        '',
      ),
    ],
    plain,
  ).split('\n');
  expect(first).toBe('你好  a');
  expect(second).toBe('abcd  b');
});

test('times are relative for people and ISO elsewhere', () => {
  const view = [line(time('2026-01-31T11:57:00Z'))];
  expect(render(view, terminal)).toBe('3 min ago\n');
  expect(render(view, plain)).toBe('2026-01-31T11:57:00Z\n');
});

test('colour comes from the view and never from its text', () => {
  expect(render([line(good('ok'))], terminal)).toBe('\u001b[32mok\u001b[0m\n');
  for (const block of [
    line('\u001b[31m'),
    fields({ Name: '\u001b[31m' }),
    table(['a'], [['\u001b[31m']], ''),
    verbatim('\u001b[31m'),
  ]) {
    expect(render([block], plain)).not.toContain('\u001b');
  }
});

test('an empty list says what would be here', () => {
  expect(render([table(['a'], [], 'Make the first one: svc init')], plain)).toBe('Make the first one: svc init\n');
});

test('fields without a value are left out', () => {
  expect(render([fields({ Name: 'greeter', Owner: null })], plain)).toBe('Name  greeter\n');
});
