// The cost of guardrails: the latency that they add to an HTTP exchange of JSON, and their longest turn of the event loop on hostile texts.
// All of it is in this process. guardrails/main.ts measures what they find.
import { faker } from '@faker-js/faker';
import type { TextRule } from '../server/src/models/guardrails/rule.ts';
import { textRulesOf } from '../server/src/testing/models/rules-of.ts';
import { guard, openExchange } from './guardrails/guarded-exchange.ts';
import { hostileDocuments, hostileTexts, type Hostile } from './guardrails/hostile.ts';
import { longestTurn } from './guardrails/longest-turn.ts';
import type { Row } from './report/row.ts';
import { interleaved, quantile, repeat, timed } from './load/sampling.ts';

const pii = textRulesOf('pii_detection');
const typical = [
  ...pii,
  ...textRulesOf('prompt_injection', { action: 'redact' }),
  ...textRulesOf('content_filter', {
    words: ['forbidden', 'confidential', 'two words', 'verboten'],
    patterns: [{ pattern: 'internal-\\d{4}' }, { pattern: '(?i)project (?:apollo|gemini)' }],
  }),
];

export async function measure({ quick }: { quick: boolean }): Promise<Row[]> {
  return [...(await latencyRows(quick ? 1 : 3)), ...(await turnRows())];
}

async function latencyRows(rounds: number): Promise<Row[]> {
  const exchange = await openExchange({ pii, typical });
  const rows: Row[] = [];
  for (const [kilobytes, calls] of sizes) {
    const body = JSON.stringify({ input: prose(kilobytes * 1024) });
    const take = async (name: string) =>
      await repeat(calls, async () => await timed(async () => await exchange.send(name, body)));
    const samples = await interleaved(rounds, {
      none: async () => await take('none'),
      pii: async () => await take('pii'),
      typical: async () => await take('typical'),
    });
    const bare = samples.none;
    for (const [name, set] of [
      ['pii_detection', samples.pii],
      ['a typical set', samples.typical],
    ] as const)
      rows.push(
        {
          measure: `an exchange of ${kilobytes} KB of prose under ${name}`,
          unit: 'ms',
          samples: set,
          bare,
          how: `bare: without guardrails; ${rounds} rounds of ${calls} in turns${name === 'a typical set' ? `; ${typical_set}` : ''}`,
        },
        {
          measure: '… added for each KB',
          unit: 'ms',
          samples: set.map((one) => (one - quantile(bare, 0.5)) / kilobytes),
          how: 'over the p50 of the bare exchange',
        },
      );
  }
  exchange.close();
  return rows;
}

const typical_set = 'pii_detection, prompt_injection, content_filter with 4 words and 2 patterns';

const sizes = [
  [1, 200],
  [16, 60],
  [256, 12],
  [1024, 4],
] as const;

/** Sentences with names, dates and amounts, and a mail address in every tenth. */
function prose(length: number): string {
  faker.seed(3);
  let text = '';
  for (let n = 0; text.length < length; n++)
    text += `${faker.person.fullName()} ordered ${faker.number.int(90)} of ${faker.commerce.productName()} on ${faker.date.recent().toDateString()} for ${faker.commerce.price()} EUR. ${faker.commerce.productDescription()} ${n % 10 === 0 ? faker.internet.email() : ''}\n`;
  return text.slice(0, length);
}

async function turnRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, rules] of [
    ['pii_detection', pii],
    ['the typical set', typical],
  ] as const) {
    const texts = await longestTurns(rules, hostileTexts);
    const documents = await longestTurns(rules, hostileDocuments);
    rows.push(
      {
        measure: `longest turn of the event loop under ${name}, hostile texts`,
        unit: 'ms',
        samples: texts.map(({ turn_ms }) => turn_ms),
        p99_at_most: 20,
        how: `one sample for each of ${hostileTexts.length} texts of 1 MB; processor time of the main thread; the longest: ${longestOf(texts)}`,
      },
      {
        measure: `longest turn of the event loop under ${name}, hostile documents`,
        unit: 'ms',
        samples: documents.map(({ turn_ms }) => turn_ms),
        bare: hostileDocuments.map(({ value }) => parsed(value)),
        how: `likewise, ${hostileDocuments.length} JSON documents with many small values; bare: JSON.parse of each; the longest: ${longestOf(documents)}`,
      },
    );
  }
  return rows;
}

interface LongestTurn {
  name: string;
  turn_ms: number;
}

async function longestTurns(rules: readonly TextRule[], hostile: readonly Hostile[]): Promise<LongestTurn[]> {
  const turns: LongestTurn[] = [];
  for (const { name, value: input } of hostile)
    turns.push({ name, turn_ms: await longestTurn(async () => await guard(rules, { input })) });
  return turns;
}

function longestOf(turns: readonly LongestTurn[]): string {
  const { name, turn_ms } = turns.reduce((longest, one) => (one.turn_ms > longest.turn_ms ? one : longest));
  return `${turn_ms.toFixed(1)} ms, ${name}`;
}

/** The processor time of JSON.parse. */
function parsed(value: unknown): number {
  const body = JSON.stringify(value);
  const before = process.threadCpuUsage();
  JSON.parse(body);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
