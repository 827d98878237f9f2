// Measures a real installation and prints the results; a whole run also writes docs/reference/benchmarks.md. `npm run bench -- redeploy
// invoke` runs only these measurements and writes no page.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { measure as change } from './change.ts';
import { measure as firstDeploy } from './first-deploy.ts';
import { measure as idleMemory } from './idle-memory.ts';
import { measure as invoke } from './invoke.ts';
import { machineFacts } from './machine.ts';
import { measure as permissionCheck } from './permission-check.ts';
import { measure as redeploy } from './redeploy.ts';
import { report } from './report.ts';
import { measure as requests } from './requests.ts';
import type { Row } from './row.ts';
import { openMeasured } from './service.ts';
import { measure as signIn } from './sign-in.ts';
import { printTable } from './table.ts';
import { measure as validate } from './validate.ts';
import { measure as verifyLog } from './verify-log.ts';

// In this order: idle memory before the first request, the first deploy before the first package.
const measures = {
  'idle-memory': idleMemory,
  'first-deploy': firstDeploy,
  redeploy,
  invoke,
  requests,
  'sign-in': signIn,
  change,
  validate,
  'verify-log': verifyLog,
  // Last, because its users stay in the installation's database.
  'permission-check': permissionCheck,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(measures, name));
if (unknown.length > 0)
  throw new Error(`There is no measure ${unknown.join(', ')}; there are ${Object.keys(measures).join(', ')}`);

const facts = await machineFacts();
const measured = await openMeasured();
const rows: Row[] = [];
try {
  for (const [name, measure] of Object.entries(measures)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    process.stderr.write(`… ${name}\n`);
    rows.push(...(await measure(measured)));
  }
} finally {
  await measured.close();
}
process.stdout.write(`\n${facts.join('\n')}\n\n${printTable(rows)}\n`);
if (wanted.length === 0)
  await writeFile(resolve(import.meta.dirname, '../docs/reference/benchmarks.md'), report(rows, facts));
