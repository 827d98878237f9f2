import { expect, test } from 'vitest';
import { readInstalled } from './installed.ts';

const locked = [
  { name: 'Zope.Interface', version: '7.0', hashes: [] },
  { name: 'idna', version: '3.10', hashes: [] },
  { name: 'colorama', version: '0.4.6', marker: "sys_platform == 'win32'", hashes: [] },
];
const wrapper = [{ name: 'h11', version: '0.16.0', hashes: [] }];
const read = (...user: [string, string][]) =>
  readInstalled(JSON.stringify({ user, wrapper: [['h11', '0.16.0']] }), { user: locked, wrapper });

test('installed and locked packages match in every spelling of their names', () => {
  expect(read(['zope_interface', '7.0'], ['idna', '3.10'])).toEqual([
    { name: 'h11', version: '0.16.0' },
    { name: 'idna', version: '3.10' },
    { name: 'zope-interface', version: '7.0' },
  ]);
});

test('an extra package, a missing package, another version and a duplicate are each named', () => {
  const found: [string, string][] = [
    ['idna', '3.9'],
    ['stowaway', '1'],
    ['colorama', '0.4.6'],
    ['colorama', '0.4.6'],
  ];
  expect(() => read(...found)).toThrow(
    expect.objectContaining({
      code: 'build_failed',
      fields: {
        differences: [
          'idna 3.9 is installed but 3.10 is locked',
          'stowaway 1 is installed but not locked',
          'colorama 0.4.6 is installed twice',
          'Zope.Interface 7.0 is locked but not installed',
        ],
      },
    }),
  );
});

test("a package of both folders is listed in both versions, and once in the same, and the wrapper's folder has only its lock", () => {
  const both = (version: string) =>
    readInstalled(JSON.stringify({ user: [['h11', version]], wrapper: [['h11', '0.16.0']] }), {
      user: [{ name: 'h11', version, hashes: [] }],
      wrapper,
    });
  expect(both('0.16.0')).toEqual([{ name: 'h11', version: '0.16.0' }]);
  expect(both('0.14.0')).toHaveLength(2);
  const strange = { user: [], wrapper: [['h11', '0.15.0']] };
  expect(() => readInstalled(JSON.stringify(strange), { user: [], wrapper })).toThrow(
    expect.objectContaining({ fields: { differences: ['h11 0.15.0 is installed but 0.16.0 is locked'] } }),
  );
});
