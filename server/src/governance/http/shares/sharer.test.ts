import { expect, test } from 'vitest';
import type { Caller, KeyCaller } from '../../access/caller.ts';
import { sharers } from './sharer.ts';

const sharerOf = sharers();
const of = (headers: Record<string, string>, ip = '10.0.0.1') =>
  sharerOf({
    path: '/',
    headers: new Headers(headers),
    origin: { request_id: null, ip, receipts: [] },
    is_https: false,
  });
const user = { kind: 'user', id: 'ada' } as Caller; // only these members name a sharer
const key = (scope: KeyCaller['scope'], scope_id: string) =>
  ({ kind: 'key', id: `key of ${scope}`, scope, scope_id }) as Caller;

test('an unknown credential counts for its address, and a proved one for its caller from any address', () => {
  const token = { authorization: 'Bearer token' };
  expect(of(token).name).toBe('address 10.0.0.1');
  expect(of({}, '2001:db8::1').name).toBe(of({}, '2001:db8::2').name);
  of(token).identified(user);
  expect([of(token).name, of(token, '10.0.0.2').name, of({ authorization: 'Bearer other' }).name]).toEqual([
    'ada',
    'ada',
    'address 10.0.0.1',
  ]);
  of(token).refused();
  expect(of(token).name).toBe('address 10.0.0.1');
});

test('the keys of a user, of a service principal and of an agent count for them, and a key of a team for itself', () => {
  const named = (['user', 'principal', 'agent', 'team', 'org'] as const).map((scope) => {
    const sent = { 'x-api-key': `a key of ${scope}` };
    of(sent).identified(key(scope, 'holder'));
    return of(sent).name;
  });
  expect(named).toEqual(['holder', 'holder', 'holder', 'key of team', 'key of org']);
});
