import { expect, test } from 'vitest';
import { parseAssetConfig } from '../asset-config.ts';

const findings = (config: object) =>
  parseAssetConfig('tool', JSON.stringify(config), 'tool').findings.map(
    ({ pointer, message }) => `${pointer}: ${message}`,
  );
const http = (more: object) => ({ type: 'http', url: 'https://a.example.com/x', ...more });
const one = { properties: { a: { type: 'string' } }, required: ['a'] };

test('parameters have places in the path, the query, headers and the body', () => {
  expect(findings(http({ url: 'https://a.example.com/{a}/x', parameters: one }))).toEqual([]);
  const parameters = { properties: { a: {}, b: {}, 'X-C': {} } };
  expect(findings(http({ parameters, places: { a: 'body', b: 'query', 'X-C': 'header' } }))).toEqual([]);
});

test.each([
  ['a host', { url: 'https://{a}.example.com/x', parameters: one }, 'outside of its path'],
  ['a query of the address', { url: 'https://a.example.com/x?b={a}', parameters: one }, 'outside of its path'],
  [
    'an optional part of the path',
    { url: 'https://a.example.com/{a}', parameters: { properties: { a: {} } } },
    'no required parameter',
  ],
  ['a place of nothing', { places: { b: 'query' } }, 'is no parameter'],
  ['a header of the service', { parameters: { properties: { Host: {} } }, places: { Host: 'header' } }, 'sets itself'],
  ['a body of GET', { method: 'GET', parameters: one, places: { a: 'body' } }, 'cannot be the body'],
  ['two bodies', { parameters: { properties: { a: {}, b: {} } }, places: { a: 'body', b: 'body' } }, 'more than one'],
  [
    'members beside a body',
    { parameters: { properties: { a: {}, b: {} } }, places: { a: 'body' } },
    'must also place b',
  ],
  ['a header without a secret', { secret_header: 'X-API-Key' }, 'needs `secret`'],
])('%s is a fault', (_, config, sentence) => {
  expect(findings(http(config)).join('\n')).toContain(sentence);
});

test('fields of an http tool do not belong to a function', () => {
  expect(findings({ type: 'function', rules: [], price_usd: '1' }).join('\n')).toContain(
    'belongs to tools of `type: http`',
  );
});
