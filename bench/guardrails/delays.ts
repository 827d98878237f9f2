import type { TextRule } from '../../server/src/guardrails/rule.ts';
import { slice_characters } from '../../server/src/guardrails/screen.ts';
import { Window } from '../../server/src/guardrails/stream.ts';

const size = 1_000_000;

const hostile = [
  '1',
  '1 ',
  '4111 ',
  '4111',
  '4 ',
  '٤ ',
  'a',
  '@',
  'a@b.co ',
  '+4930123456 ',
  '(',
  'eyJ',
  'eyJ.',
  'TVRJeU1qSXk',
  '&#52;',
  '%34',
  '4\u200b',
  'password: ',
  'token=a1',
  '-----BEGIN PRIVATE KEY-----',
  'DE89 ',
  'sk-',
  'tel 030 123 45 ',
  '212-555-0123 ',
  String.raw`\u0034`,
  '1.1.',
  '::1 ',
];

/** Processor time, because other programs share the machine: for a kilobyte of prose, and for one turn of the event loop on hostile texts. */
export function measureDelays(rules: readonly TextRule[]): string {
  const kilobyte = 'The invoice of 12 May is on its way to you, and the order has 3 items. '.repeat(15).slice(0, 1024);
  turns(kilobyte.repeat(300), rules, 1024);
  const prose = turns(kilobyte.repeat(1000), rules, 1024);
  const worst = hostile
    .map((atom) => {
      const text = atom.repeat(Math.ceil(size / atom.length)).slice(0, size);
      turns(text.slice(0, 50_000), rules, slice_characters);
      return { atom, times_ms: turns(text, rules, slice_characters) };
    })
    .toSorted((a, b) => at(b.times_ms, 0.99) - at(a.times_ms, 0.99));
  const rows = worst
    .slice(0, 5)
    .map(
      ({ atom, times_ms }) =>
        `| \`${JSON.stringify(atom)}\` | ${at(times_ms, 0.5).toFixed(1)} | ${at(times_ms, 0.99).toFixed(1)} | ${at(times_ms, 1).toFixed(1)} | ${times_ms.reduce((sum, one) => sum + one, 0).toFixed(0)} |`,
    );
  return `A kilobyte of prose takes ${at(prose, 0.5).toFixed(2)} ms of processor time (p50) and ${at(prose, 0.99).toFixed(2)} ms (p99). ${hostile.length} hostile texts of 1 MB were measured. The five with the longest turns of the event loop, in milliseconds of processor time of all threads:\n\n| repeated | p50 | p99 | longest | whole text |\n|---|---|---|---|---|\n${rows.join('\n')}`;
}

/** The sorted times of the slices of a text, each of them one turn of the event loop. */
function turns(text: string, rules: readonly TextRule[], slice: number): number[] {
  const window = new Window(rules, 'model_in');
  const times_ms: number[] = [];
  for (let from = 0; from < text.length; from += slice) {
    const started = process.cpuUsage();
    window.push(text.slice(from, from + slice));
    const { user, system } = process.cpuUsage(started);
    times_ms.push((user + system) / 1000);
  }
  return times_ms.toSorted((a, b) => a - b);
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
