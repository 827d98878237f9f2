import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from './pages/index.ts';

const generated = await pages();

test.each(generated.map(({ file, text }) => [file, text] as const))(
  'docs/reference/%s is generated from the code (npm run reference)',
  async (file, text) => {
    expect(await readFile(join(import.meta.dirname, '../docs/reference', file), 'utf8')).toBe(text);
  },
);
