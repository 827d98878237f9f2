// The work of a check is bounded per character, whatever the text is.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { examplesOfRules } from '../../testing/models/examples-of-rules.ts';
import { textRulesOf } from '../../testing/models/rules-of.ts';
import type { TextRule } from './rule.ts';
import { screen } from './screen.ts';
import { Window } from './stream.ts';

const rules = Object.entries(examplesOfRules).flatMap(([name, options]) => textRulesOf(name, options));
/** Several holds, so that parts are released while the rest is read. */
const characters = 30_000;
const ordinary = fill('The invoice of 12 May is on its way to you, and the next one follows in June. ');
let hostile: string[] = [];

beforeAll(async () => {
  const program = join(import.meta.dirname, '../../testing/models/hostile-pieces.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  hostile = (JSON.parse(stdout) as string[]).map(fill);
}, 120_000);

function fill(piece: string): string {
  return piece.repeat(Math.ceil(characters / piece.length)).slice(0, characters);
}

/** The rules, and the characters that the busiest of them has read. */
function counted(of: readonly TextRule[]): { watched: TextRule[]; most: () => number } {
  const counts = of.map(() => 0);
  const watched = of.map((rule, n): TextRule => ({
    ...rule,
    check: (passage) => {
      counts[n] = (counts[n] ?? 0) + passage.before.length + passage.text.length;
      return rule.check(passage);
    },
  }));
  return { watched, most: () => Math.max(...counts) };
}

async function work(text: string): Promise<{ read: number; processor_ms: number }> {
  const { watched, most } = counted(rules);
  const before = process.cpuUsage();
  await screen(text, watched, { place: 'model_in' });
  const { user, system } = process.cpuUsage(before);
  return { read: most(), processor_ms: (user + system) / 1000 };
}

test('the texts are made from the rules', () => {
  expect(hostile.length).toBeGreaterThan(150);
  for (const sign of ['.eyJ', '-----BEGIN', '@', 'instructions', 'password'])
    expect(
      hostile.some((text) => text.includes(sign)),
      sign,
    ).toBe(true);
});

test(
  'a rule reads each character of any text at most eight times, and takes at most thirty times the processor of prose',
  { timeout: 120_000 },
  async () => {
    // The first work compiles the expressions.
    await work(ordinary);
    const usual_ms = Math.max((await work(ordinary)).processor_ms, 10);
    const dear: string[] = [];
    for (const text of hostile) {
      const { read, processor_ms } = await work(text);
      const named = JSON.stringify(text.slice(0, 60));
      if (read > 8 * characters) dear.push(`${named}: ${read} characters`);
      if (processor_ms > 30 * usual_ms && (await work(text)).processor_ms > 30 * usual_ms)
        dear.push(`${named}: ${processor_ms} ms`);
    }
    expect(dear).toEqual([]);
  },
);

test('a stream of small chunks reads at most 2,048 characters a chunk, and 16 for each of its own', async () => {
  const chunk_characters = 32;
  const chosen = hostile.filter((text) => /^(?:\.eyJ|-----BEGIN|\d{4} ?\d{4}|[\w-]{100})/.test(text));
  expect(chosen.length).toBeGreaterThan(4);
  for (const whole of chosen) {
    const text = whole.slice(0, 12_000);
    const { watched, most } = counted(textRulesOf('pii_detection'));
    const window = new Window(watched, { place: 'model_out' });
    for (let at = 0; at < text.length; at += chunk_characters) await window.push(text.slice(at, at + chunk_characters));
    await window.end();
    expect(most(), text.slice(0, 60)).toBeLessThan((text.length / chunk_characters) * 2048 + 16 * text.length);
  }
});
