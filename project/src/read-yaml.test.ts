import { expect, test } from 'vitest';
import { readYaml } from './read-yaml.ts';

test('every key and value has its place, by JSON pointer', () => {
  const text = 'a/b: 1\nlist:\n  - x: ~\n  - "two"\n';
  const { value, places } = readYaml(text, 'x.yaml');
  expect(value).toEqual({ 'a/b': 1, list: [{ x: null }, 'two'] });
  const slice = (pointer: string): string | undefined => {
    const place = places.get(pointer);
    return place && text.slice(...place.value);
  };
  expect([slice('/a~1b'), slice('/list/1'), slice('/list/0/x')]).toEqual(['1', '"two"', '~']);
  expect(places.get('/list')?.key).toEqual([7, 11]);
});

test('an empty value has its place right after its key', () => {
  expect(readYaml('team:\n', 'x.yaml').places.get('/team')).toEqual({ key: [0, 4], value: [5, 5], replaceable: false });
});

test('the given file name is in the findings', () => {
  expect(readYaml('a: [', 'orchestration.yaml').findings[0]).toMatchObject({
    file: 'orchestration.yaml',
    code: 'yaml_syntax',
  });
});

test('an alias bomb is refused without being followed', () => {
  const levels = Array.from(
    { length: 20 },
    (_, index) => `l${index + 1}: &l${index + 1} [${Array.from({ length: 9 }, () => `*l${index}`).join()}]`,
  );
  const { findings, value } = readYaml(`l0: &l0 x\n${levels.join('\n')}\n`, 'x.yaml');
  expect(findings).toHaveLength(180);
  expect(JSON.stringify(value).length).toBeLessThan(2000);
});
