import { expect, test } from 'vitest';
import { putFields } from './put-fields.ts';

const yaml = '# mine\nname: flow # short\nversion: 2.0.0\nframework: langgraph\ndeploy:\n  secrets: [TOKEN]\n';

test('a new field gets its usual place, and comments stay', () => {
  expect(putFields(yaml, [{ path: ['team'], value: 'ml' }])).toBe(
    '# mine\nname: flow # short\nversion: 2.0.0\nteam: ml\nframework: langgraph\ndeploy:\n  secrets: [ TOKEN ]\n',
  );
  expect(putFields('name: flow\n', [{ path: ['model', 'primary'], value: 'gpt-4o' }])).toBe(
    'name: flow\nmodel:\n  primary: gpt-4o\n',
  );
});

test('a removed field takes the map with it that it leaves empty', () => {
  expect(putFields('name: flow\ndeploy:\n  secrets: [A]\n', [{ path: ['deploy', 'secrets'], value: undefined }])).toBe(
    'name: flow\n',
  );
});

test('a value of another kind gives way: a map takes the place of a text', () => {
  expect(putFields('deploy: soon\n', [{ path: ['deploy', 'egress'], value: ['a.example.com:443'] }])).toBe(
    'deploy:\n  egress:\n    - a.example.com:443\n',
  );
});

test.each([
  ['- a list\n'],
  ['a: {b\n'],
  ['[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[['],
  ['a: 1\na: 2\n'],
  [`a: "${'x'.repeat(140_000)}"`],
])('a text that is no readable map stays with its writer: %s', (text) => {
  expect(putFields(text, [{ path: ['team'], value: 'ml' }])).toBeUndefined();
});

test('an alias is not expanded, and no name reaches a prototype', () => {
  const bomb = 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n';
  expect(putFields(bomb, [{ path: ['team'], value: 'ml' }])).toContain('c: [ *b, *b ]');
  putFields('__proto__: {polluted: yes}\n', [{ path: ['team'], value: 'ml' }]);
  expect({}).not.toHaveProperty('polluted');
});
