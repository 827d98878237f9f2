import { expect, test } from 'vitest';
import { render } from '../view/render.ts';
import { describeLogLine } from './describe-log-line.ts';

const at = '2026-01-31T12:00:00.000000001Z';
const plain = (line: string) =>
  render([describeLogLine({ at, stream: 'stdout', line, revision: 'r', instance: 1 }, { mode: 'plain' })], {
    colour: false,
    columns: undefined,
    now: undefined,
  });
const atTerminal = (line: string) =>
  render([describeLogLine({ at, stream: 'stderr', line, revision: 'r', instance: 1 }, { mode: 'terminal' })], {
    colour: true,
    columns: 80,
    now: 0,
  });

test('a JSON line becomes level, message and other members, also without a terminal', () => {
  const line = JSON.stringify({
    time: 't',
    level: 'info',
    event: 'run_ended',
    run_id: 'r-1',
    note: 'a b',
    seconds: 0.5,
  });
  expect(plain(line)).toBe(`${at} info    run_ended  run_id=r-1 note="a b" seconds=0.5\n`);
  expect(plain('{"level":"WARNING","msg":"slow","ms":3}')).toBe(`${at} warning slow  ms=3\n`);
  expect(plain('{"level":"error","event":"agent_not_loaded","message":"no graph"}')).toBe(
    `${at} error   agent_not_loaded: no graph\n`,
  );
});

test('at a terminal all but the message is faint, and a failure is red', () => {
  const drawn = atTerminal('{"level":"error","message":"it broke","code":"x"}');
  expect(drawn).toContain('\u001b[31merror  \u001b[0m it broke\u001b[2m  code=x\u001b[0m');
  expect(drawn).toMatch(/^\u001b\[2m\d\d:\d\d:\d\d\u001b\[0m\u001b\[31m │ /);
});

test.each([
  ['print("hi")'],
  ['{"level":"info"'],
  ['{"level":"info"}'],
  ['{"message":"without a level"}'],
  ['  | Traceback (most recent call last):'],
])('%s is unchanged', (written) => {
  expect(plain(written)).toBe(`${at} ${written}\n`);
});

test('no line can control the terminal, in JSON or not', () => {
  expect(plain('\u001b[2Jgone')).toBe(`${at} \\u{1b}[2Jgone\n`);
  for (const line of [
    '{"level":"\u001b[2J',
    JSON.stringify({ level: 'info', msg: '\u001b[2J', a: '\u202e', '\u001b': 1 }),
  ])
    expect(plain(line)).not.toMatch(/[\u001b\u202e]/);
});
