import { expect, test } from 'vitest';
import { egressOf, isCovered, isDestination } from './egress.ts';

test.each([
  'api.example.com:443',
  'localhost:1',
  'a:65535',
  '192.0.2.1:443',
  '*.example.com:443',
  'xn--bcher-kva.example:80',
])('%s is a destination', (text) => expect(isDestination(text)).toBe(true));

test.each([
  ['api.example.com:443', 'api.example.com', 443, true],
  ['api.example.com:443', 'api.example.com', 80, false],
  ['api.example.com:443', 'example.com', 443, false],
  ['*.example.com:443', 'api.example.com', 443, true],
  ['*.example.com:443', 'a.b.example.com', 443, true],
  ['*.example.com:443', 'example.com', 443, false],
  ['*.example.com:443', 'notexample.com', 443, false],
  ['*.example.com:443', '.example.com', 443, false],
  ['*.example.com:443', 'a..example.com', 443, false],
  ['*.example.com:443', '*.example.com', 443, false],
  ['*.example.com:443', 'evil.com/.example.com', 443, false],
  ['*.example.com:443', 'a.example.com', 8443, false],
  ['*.example.com:443', 'a.example.com.evil.com', 443, false],
])('%s covers %s:%s: %s', (destination, host, port, expected) => {
  expect(isCovered([destination], { host, port })).toBe(expected);
});

test.each([
  ['open', undefined, undefined],
  ['open', ['a.b:1'], ['a.b:1']],
  ['open', [], []],
  ['listed', undefined, []],
  ['listed', ['a.b:1'], ['a.b:1']],
  ['gateway_only', undefined, []],
  ['gateway_only', ['a.b:1'], []],
] as const)('with agent_egress %s and the list %j, a container reaches %j', (agent_egress, egress, expected) => {
  const deploy = egress === undefined ? undefined : { egress: [...egress] };
  expect(egressOf({ agent_egress }, { deploy })).toEqual(expected);
});
