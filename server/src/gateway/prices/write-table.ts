// npm run prices: writes table.json from the installed package genai-prices. A test compares the committed file with a new run.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileTable } from './compile-table.ts';

const today = new Date().toISOString().slice(0, 10);
await writeFile(join(import.meta.dirname, 'table.json'), await compileTable(today));
