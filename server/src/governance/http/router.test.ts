import { expect, test } from 'vitest';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { router } from './router.ts';

const routes = router<string>();
for (const [name, { method, path }] of Object.entries<Endpoint>(endpoints)) routes.add(method, path, name);
const all = Object.entries<Endpoint>(endpoints).map(([name, { method, path }]) => ({ name, method, path }));

test.each(all)('$method $path leads only to $name', ({ name, method, path }) => {
  const values: Record<string, string> = {};
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => (values[key] = `the-${key}`));
  expect(routes.find(method, filled)).toEqual({ route: name, params: values });
});

test('a literal segment wins over a parameter', () => {
  const some = router<string>();
  some.add('GET', '/kinds/{kind}', 'one');
  some.add('DELETE', '/kinds/{kind}', 'remove');
  some.add('GET', '/kinds/all', 'all');
  some.add('GET', '/kinds/{kind}/names', 'names');
  expect(some.find('GET', '/kinds/all')).toEqual({ route: 'all', params: {} });
  expect(some.find('DELETE', '/kinds/all')).toEqual({ route: 'remove', params: { kind: 'all' } });
  expect(some.find('GET', '/kinds/all/names')).toEqual({ route: 'names', params: { kind: 'all' } });
  expect(some.find('PUT', '/kinds/all')).toEqual(['GET', 'DELETE']);
});

test.each([
  '/',
  '/agents',
  '/agents/',
  '/agents//invoke',
  '/agents/a/invoke/',
  '/agents/a/b/invoke',
  '/AGENTS/a/invoke',
])('%s is not a path', (path) => expect(routes.find('POST', path)).toEqual([]));

test('a parameter is decoded; a malformed escape stays', () => {
  const params = (path: string) => routes.find('POST', path);
  expect(params('/agents/%61b/invoke')).toEqual({ route: 'invoke.call', params: { name: 'ab' } });
  expect(params('/agents/a%zz/invoke')).toEqual({ route: 'invoke.call', params: { name: 'a%zz' } });
});

test('a parameter can end with a verb, and the longer ending wins', () => {
  const some = router<string>();
  some.add('GET', '/tasks/{id}', 'show');
  some.add('POST', '/tasks/{id}:cancel', 'cancel');
  expect(some.find('POST', '/tasks/7:cancel')).toEqual({ route: 'cancel', params: { id: '7' } });
  expect(some.find('GET', '/tasks/7:cancel')).toEqual({ route: 'show', params: { id: '7:cancel' } });
  expect(some.find('POST', '/tasks/:cancel')).toEqual(['GET']);
});

test('only the paths under /agents/, /orchestrations/ and /mcp belong to the ingress', () => {
  for (const [name, { path, surface }] of Object.entries<Endpoint>(endpoints))
    expect([name, ['ingress', 'a2a', 'langgraph', 'mcp'].includes(surface ?? 'api')]).toEqual([
      name,
      /^\/(agents|orchestrations)\/|^\/mcp(\/|$)/.test(path),
    ]);
});
