// npm run reference: writes docs/reference/ from the code. A test compares the committed pages with a new run.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pages } from './pages/index.ts';

for (const { file, text } of await pages()) await writeFile(join(import.meta.dirname, '../docs/reference', file), text);
