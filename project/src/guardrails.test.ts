import { expect, test } from 'vitest';
import { parseAgentYaml } from '@gantry/project/agent-yaml.ts';
import { guardrailsOf } from '@gantry/contract/guardrails.ts';

const least = 'name: a\nversion: 1.0.0\nteam: ml\nframework: crewai\nmodel: {primary: m}\n';
const errorsOf = (guardrails: string, before = least) =>
  parseAgentYaml(`${before}guardrails: ${guardrails}\n`)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ line, pointer, message, suggestion }) => ({ line, pointer, message, suggestion }));

test('guardrails are names, and names with options', () => {
  const text = '[content_filter, {name: pii_detection, options: {types: [email], allow: [a@b.c, {pattern: "^x$"}]}}]';
  expect(errorsOf(text)).toEqual([]);
  expect(guardrailsOf(parseAgentYaml(`${least}guardrails: ${text}\n`).config?.guardrails)).toEqual([
    { name: 'content_filter' },
    { name: 'pii_detection', options: { types: ['email'], allow: ['a@b.c', { pattern: '^x$' }] } },
  ]);
});

test.each([
  ['[pii_detecton]', '/guardrails/0', 'Did you mean `pii_detection`?'],
  ['[{name: pii_detecton}]', '/guardrails/0/name', 'Did you mean `pii_detection`?'],
  ['[{name: pii_detection, option: {}}]', '/guardrails/0/option', 'Did you mean `options`?'],
  ['[{name: pii_detection, options: {typs: [email]}}]', '/guardrails/0/options/typs', 'Did you mean `types`?'],
  ['[{name: pii_detection, options: {types: [emial]}}]', '/guardrails/0/options/types/0', 'Did you mean `email`?'],
  [
    '[{name: content_filter, options: {categories: {hat: 1}}}]',
    '/guardrails/0/options/categories/hat',
    'Did you mean `hate`?',
  ],
])('%s is refused with the nearest name', (guardrails, pointer, suggestion) => {
  expect(errorsOf(guardrails)).toMatchObject([{ line: 6, pointer, suggestion }]);
});

test.each([
  ['[pii_detection, {name: pii_detection}]', 'is in the list twice'],
  ['[max_length]', 'needs options'],
  ['[{name: max_length}]', 'is missing'],
  ['[{name: max_length, options: {}}]', 'needs `output_characters` or `input_characters`'],
  ['[{name: pii_detection, options: {types: [person]}}]', 'needs `presidio`'],
  ['[{name: content_filter, options: {categories: {hate: 2}}}]', 'must be at most 1'],
  ['[{name: topics, options: {deny: [{name: x}]}}]', 'needs `words`'],
])('%s is refused: %s', (guardrails, reason) => {
  expect(errorsOf(guardrails)).toMatchObject([{ line: 6, message: expect.stringContaining(reason) }]);
});

test('a guardrail that asks a model needs one', () => {
  const without = least.replace(/model: .*\n/, '');
  expect(errorsOf('[pii_detection, {name: content_filter, options: {words: [xx]}}]', without)).toEqual([]);
  expect(errorsOf('[{name: hallucination_check, options: {model: m}}]', without)).toEqual([]);
  expect(errorsOf('[pii_detection, hallucination_check]', without)).toMatchObject([{ pointer: '/guardrails/1' }]);
  expect(errorsOf('[content_filter]', without)).toMatchObject([{ pointer: '/guardrails/0' }]);
});
