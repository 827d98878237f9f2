import { expect, test } from 'vitest';
import { differingPaths, saidPaths } from './differing-paths.ts';

const pod = {
  containers: [
    { name: 'agent', image: 'a@sha256:1', env: [{ name: 'HOME', value: '/tmp' }], command: ['python', '-m'] },
  ],
};

test('the order of named items is no difference, and that of others is one', () => {
  const env = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ];
  expect(differingPaths({ env }, { env: env.toReversed() })).toEqual([]);
  expect(differingPaths({ command: ['a', 'b'] }, { command: ['b', 'a'] })).toEqual(['command.0', 'command.1']);
});

test('what is changed, added and gone is named by its path, without its value', () => {
  const [agent] = pod.containers;
  const there = {
    hostNetwork: true,
    containers: [
      { ...agent, image: 'b', env: [{ name: 'TOKEN', value: 'a value' }] },
      { name: 'beside', image: 'c' },
    ],
  };
  const paths = differingPaths(pod, there);
  expect(paths.toSorted()).toEqual([
    'containers.agent.env.HOME',
    'containers.agent.env.TOKEN',
    'containers.agent.image',
    'containers.beside',
    'hostNetwork',
  ]);
  expect(saidPaths(paths)).not.toContain('a value');
});

test('a missing member, an undefined one and an empty object are the same; zero and false are values', () => {
  expect(differingPaths({ a: undefined, b: {}, c: [] }, {})).toEqual([]);
  expect(differingPaths({}, { user: 0, tty: false })).toEqual(['user', 'tty']);
  expect(differingPaths({}, { ingress: [{}] })).toEqual(['ingress.0']);
  expect(differingPaths({}, { user: 0, tty: false }, { ignores: (value) => value === 0 || value === false })).toEqual(
    [],
  );
});

test('a list in place of a text differs, and a long list of paths is cut', () => {
  expect(differingPaths({ a: 'x' }, { a: ['x'] })).toEqual(['a']);
  expect(saidPaths(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('not as described: a, b, c, d, e and 2 more');
});
