import { expect, test } from 'vitest';
import { render, type Surface } from './render.ts';
import { bad, fields, good, line, prose, table, time, verbatim, whole } from './view.ts';
import { widthOf } from './width.ts';

const plain: Surface = { colour: false, columns: undefined, now: undefined };
const terminal: Surface = { colour: true, columns: 40, now: Date.parse('2026-01-31T12:00:00Z') };

const bare = (text: string): string => text.replaceAll(/\u001b\[\d+m/g, '');

test('prose wraps at words, and other columns stay whole', () => {
  const rows = [['greeter', 'serving', 'a description that is far longer than the terminal is wide']];
  expect(bare(render([table(['agent', 'state', prose('description')], rows, '')], terminal))).toBe(
    [
      'AGENT    STATE    DESCRIPTION',
      'greeter  serving  a description that is',
      '                  far longer than the',
      '                  terminal is wide',
      '',
    ].join('\n'),
  );
});

test('a column without space goes below its row with its name, and an empty one is left out', () => {
  const id = '64eee2ec-d29e-4c58-a19a-366813aca57c';
  const rows = [
    [id, good('agents/greeter'), 'user:ada@example.com', 'asks for less than it did'],
    [id, 'agents/other', null, ''],
  ];
  const drawn = render([table(['request', 'asset', 'by', prose('message')], rows, '')], terminal);
  expect(drawn).toContain('\u001b[32magents/greeter\u001b[0m');
  expect(bare(drawn)).toBe(
    [
      'REQUEST',
      id,
      '    asset agents/greeter',
      '    by user:ada@example.com',
      '    message asks for less than it did',
      id,
      '    asset agents/other',
      '',
    ].join('\n'),
  );
});

test('a word longer than its column is broken without loss', () => {
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
  const drawn = bare(render([table(['asset', prose('detail')], [['agents/x', `digest=${digest}`]], '')], terminal));
  expect(drawn.replace(/^.*\n/, '').replaceAll(/[\s]/g, '')).toBe(`agents/xdigest=${digest}`);
  for (const each of drawn.split('\n')) expect(widthOf(each)).toBeLessThanOrEqual(40);
});

test('a sentence wraps at its words below its own beginning, and a command to copy stays on one line', () => {
  const said = '  The list is full. Run `svc server set MAX_CONNECTIONS=99` on its machine';
  expect(bare(render([line(bad('✗ '), said)], terminal))).toBe(
    ['✗   The list is full. Run', '`svc server set MAX_CONNECTIONS=99` on', 'its machine', ''].join('\n'),
  );
  expect(bare(render([fields({ Why: 'the disk of the machine has no space left' })], terminal))).toBe(
    ['Why  the disk of the machine has no', '     space left', ''].join('\n'),
  );
  const command = `svc deploy ${'x'.repeat(60)} --wait`;
  expect(bare(render([whole('next: ', command)], terminal))).toBe(`next: ${command}\n`);
});

test('nothing is cut without a terminal', () => {
  const long = 'x'.repeat(500);
  expect(render([table(['a'], [[long]], '')], plain)).toContain(long);
});

test('wide characters keep the columns aligned', () => {
  const [, first, second, third] = render(
    [
      table(
        ['name', 'state'],
        [
          ['你好', 'a'],
          ['abcd', 'b'],
          // Beyond the basic plane, and an emoji of several code points.
          ['𠀀👨‍👩‍👧', 'c'],
        ],
        '',
      ),
    ],
    plain,
  ).split('\n');
  expect(first).toBe('你好  a');
  expect(second).toBe('abcd  b');
  expect(third).toBe('𠀀👨‍👩‍👧  c');
});

test('times are relative for people and ISO elsewhere', () => {
  const view = [line(time('2026-01-31T11:57:00Z'))];
  expect(render(view, terminal)).toBe('3 min ago\n');
  expect(render(view, plain)).toBe('2026-01-31T11:57:00Z\n');
});

test('colour comes from the view, never from its text', () => {
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

test('an empty list prints its sentence', () => {
  expect(render([table(['a'], [], 'No agents yet. Create one: svc init')], plain)).toBe(
    'No agents yet. Create one: svc init\n',
  );
});

test('fields without a value are left out', () => {
  expect(render([fields({ Name: 'greeter', Owner: null })], plain)).toBe('Name  greeter\n');
});
