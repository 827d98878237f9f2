import { faker } from '@faker-js/faker';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const most_characters = 50_000;

/** Source files of the installed packages, without those made by a program. */
export async function codeFiles(count: number): Promise<string[]> {
  const packages = resolve(import.meta.dirname, '../../node_modules');
  const names = (await readdir(packages, { recursive: true })).filter(
    (name) => /\.(?:ts|js|mjs|py)$/.test(name) && !/faker|libphonenumber|\.min\./.test(name),
  );
  const texts: string[] = [];
  for (const name of faker.helpers.shuffle(names.toSorted())) {
    if (texts.length === count) break;
    const text = await readFile(join(packages, name), 'utf8').catch(() => '');
    if (text.length > 200 && text.length <= most_characters) texts.push(text);
  }
  return texts;
}
