import { expect, test } from 'vitest';
import { cutAnswer } from './cut-answer.ts';

const string = { type: 'string' };

test.each([
  ['properties that are named stay', { properties: { a: string } }, { a: 1, b: 2 }, { a: 1 }],
  ['a schema that names nothing leaves nothing', {}, { a: 1 }, {}],
  ['items of a list are cut', { items: { properties: { a: {} } } }, [{ a: 1, b: 2 }, 3], [{ a: 1 }, 3]],
  ['a list without items keeps no objects', { type: 'array' }, [{ a: 1 }, 'x'], [{}, 'x']],
  [
    'a map has the values that its schema names',
    { additionalProperties: { properties: { a: {} } } },
    { x: { a: 1, b: 2 } },
    { x: { a: 1 } },
  ],
  ['`true` for other properties names none', { additionalProperties: true }, { x: 1 }, {}],
  [
    'all schemas of a place name properties',
    { allOf: [{ properties: { a: {} } }, { anyOf: [{ properties: { b: { properties: { c: {} } } } }] }] },
    { a: 1, b: { c: 1, d: 2 }, e: 3 },
    { a: 1, b: { c: 1 } },
  ],
  [
    'references lead into the schema, also in a circle',
    { $ref: '#/$defs/A', $defs: { A: { properties: { a: {}, next: { $ref: '#/$defs/A' } } } } },
    { a: 1, next: { a: 2, b: 3, next: { b: 4 } } },
    { a: 1, next: { a: 2, next: {} } },
  ],
  ['a reference to itself names nothing', { $ref: '#' }, { a: 1 }, {}],
  [
    'names of prototypes are none',
    { properties: { a: {} } },
    JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}'),
    {},
  ],
])('%s', (_, returns, answer, cut) => {
  expect(cutAnswer(answer, returns)).toEqual(cut);
});

test('an answer that is nested too deep is refused', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown;
  expect(() => cutAnswer(deep, { $ref: '#', items: { $ref: '#' } })).toThrow('nested deeper');
});
