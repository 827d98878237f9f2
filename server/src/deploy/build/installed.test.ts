import { expect, test } from 'vitest';
import { readInstalled } from './installed.ts';

const locked = [
  { name: 'Zope.Interface', version: '7.0', hashes: [] },
  { name: 'idna', version: '3.10', hashes: [] },
  { name: 'colorama', version: '0.4.6', marker: "sys_platform == 'win32'", hashes: [] },
];
const read = (...found: [string, string][]) => readInstalled(JSON.stringify(found), locked);

test('installed and locked packages match in every spelling of their names', () => {
  expect(read(['zope_interface', '7.0'], ['idna', '3.10'])).toEqual([
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
