// Prints pieces of text that the rules for texts look for, as JSON: matches of each regular expression that they use, whole and cut off. So a
// new rule is covered without a change here. It is a program of its own, because it watches all regular expressions of its process.
import { mock } from 'node:test';
import fc from 'fast-check';
import { examplesOfRules } from './examples-of-rules.ts';
import { textRulesOf } from './rules-of.ts';

const rules = Object.entries(examplesOfRules).flatMap(([name, options]) => textRulesOf(name, options));
/** What fast-check cannot write: a text that is not there, or that is before. */
const notThere = /\(\?(?:<?!|<=)/;
const expressions = new Map<string, RegExp>();

/** A match of one expression makes a rule use the next one. */
const rounds = 3;
const pieces = new Set(['Tel. 030 901820, a@b.co, DE89 3704, 1.2.3.4, é, \\u0034 %34 &#52;, password: a']);
for (let round = 0, read = 0; round < rounds; round++) {
  const fresh = [...pieces].slice(read);
  read = pieces.size;
  for (const piece of fresh) await watch(piece);
  for (const expression of expressions.values()) for (const match of matchesOf(expression)) pieces.add(match);
}
const all = new Set([...pieces].flatMap((piece) => [piece, piece.slice(0, -1)]));
process.stdout.write(JSON.stringify([...all].filter((piece) => piece !== '')));

async function watch(text: string): Promise<void> {
  const { mock: watched } = mock.method(RegExp.prototype, 'exec');
  for (const rule of rules) {
    rule.openFrom(text);
    await rule.check({ place: 'model_in', text, before: '', offset: 0, isLast: true });
  }
  watched.restore();
  for (const { this: expression } of watched.calls)
    if (expression instanceof RegExp) expressions.set(expression.source, expression);
}

/** Two, of different length: how a text falls apart can depend on it. */
function matchesOf({ source, flags }: RegExp): string[] {
  const plain = new RegExp(withoutAssertions(source), flags.replaceAll(/[dgiy]/g, ''));
  return fc.sample(fc.stringMatching(plain), { seed: 1, numRuns: 2 }).map((text) => plain.exec(text)?.[0] ?? '');
}

/** fast-check knows no assertions and no references. What must not be there is left out; what must follow is written. */
function withoutAssertions(source: string): string {
  let plain = source.replaceAll(/\\[bB1-9]/g, '').replaceAll(/\(\?[a-z]*-?[a-z]+:/g, '(?:');
  for (let at = plain.search(notThere); at >= 0; at = plain.search(notThere))
    plain = plain.slice(0, at) + plain.slice(endOfGroup(plain, at));
  return plain.replaceAll('(?=', '(?:').replaceAll(/\[\^(?:\\.|[^\]\\])*\]/g, '[x1]');
}

function endOfGroup(source: string, start: number): number {
  let depth = 0;
  let isClass = false;
  for (let at = start; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') at++;
    else if (isClass) isClass = character !== ']';
    else if (character === '[') isClass = true;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return at + 1;
  }
  return source.length;
}
