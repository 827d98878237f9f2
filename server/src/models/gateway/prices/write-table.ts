// npm run prices: writes table.json from the installed package genai-prices. A test compares the committed file with a new run.
import { writeFile } from 'node:fs/promises';
import { compileTable } from './compile-table.ts';
import { places } from '../../../ground/places-of-files.ts';

const today = new Date().toISOString().slice(0, 10);
await writeFile(places.prices, await compileTable(today));
