// Measures a real installation and prints the results; a whole run also writes docs/reference/benchmarks.md. `npm run bench -- redeploy
// invoke` runs only these measures and writes only their sections. With `--quick` it has fewer rounds and writes nothing. A fallen ratio (held-ratios.ts)
// and a failed measure fail the run.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { firstUse } from '../server/src/ground/first-use.ts';
import { measure as change } from './change.ts';
import { measure as consolePages } from './console.ts';
import { measure as fairness } from './fairness.ts';
import { measure as firstDeploy } from './first-deploy.ts';
import { measure as gateway } from './gateway.ts';
import { measure as guardrails } from './guardrails.ts';
import { measure as knowledge } from './knowledge.ts';
import { fallenRatios } from './report/held-ratios.ts';
import { measure as idleMemory } from './idle-memory.ts';
import { measure as invoke } from './invoke.ts';
import { measure as memory } from './memory.ts';
import { machineFacts } from './report/machine.ts';
import { measure as orchestrations } from './orchestrations.ts';
import { measure as permissionCheck } from './permission-check.ts';
import { measure as placement } from './placement.ts';
import { measure as redeploy } from './redeploy.ts';
import { report, type Section } from './report/report.ts';
import { measure as requests } from './requests.ts';
import type { Row } from './report/row.ts';
import { openMeasured, type Measured } from './service/service.ts';
import { measure as signIn } from './sign-in.ts';
import { measure as sizes } from './sizes.ts';
import { measure as tools } from './tools.ts';
import { printTable } from './report/table.ts';
import { measure as tracing } from './tracing.ts';
import { measure as validate } from './validate.ts';
import { measure as verifyLog } from './verify-log.ts';

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});

let opened: Measured | undefined;
const measured = firstUse(async () => (opened = await openMeasured()));
const on = (measure: (measured: Measured) => Promise<Row[]>) => async () => await measure(await measured());

// In this order: idle memory before the first request, the first deploy before the first package. The gateway, tools, placement, sizes and
// fairness have processes of their own, and guardrails need no installation.
const measures = {
  gateway: async () => await gateway(options),
  tools: async () => await tools(options),
  guardrails: async () => await guardrails(options),
  placement: async () => await placement(options),
  fairness: async () => await fairness(options),
  knowledge: async () => await knowledge(options),
  sizes: async () => await sizes(options),
  'idle-memory': on(idleMemory),
  'first-deploy': on(firstDeploy),
  redeploy: on(redeploy),
  invoke: on(async (measured) => await invoke(measured, options)),
  memory: on(async (measured) => await memory(measured, options)),
  tracing: on(tracing),
  orchestrations: on(async (measured) => await orchestrations(measured, options)),
  requests: on(requests),
  'sign-in': on(signIn),
  change: on(change),
  validate: on(validate),
  'verify-log': on(verifyLog),
  // Last, because their agents and users stay in the installation's database.
  console: on(consolePages),
  'permission-check': on(permissionCheck),
};

const unknown = wanted.filter((name) => !Object.hasOwn(measures, name));
if (unknown.length > 0)
  throw new Error(`There is no measure ${unknown.join(', ')}; there are ${Object.keys(measures).join(', ')}`);

const facts = await machineFacts();
const sections: Section[] = [];
const failed: string[] = [];
try {
  for (const [name, measure] of Object.entries(measures)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    process.stderr.write(`… ${name}\n`);
    const began = performance.now();
    const seconds = () => Math.round((performance.now() - began) / 1000);
    try {
      sections.push({ name, rows: await measure() });
      process.stderr.write(`✓ ${name} ${seconds()} s\n`);
    } catch (error) {
      // The others are measured, because a whole run takes long.
      failed.push(name);
      process.stderr.write(`✗ ${name} ${seconds()} s\n${inspect(error)}\n`);
    }
  }
} finally {
  await opened?.close();
}
process.stdout.write(`\n${facts.join('\n')}\n\n${printTable(sections.flatMap(({ rows }) => rows))}\n`);
const fallen = fallenRatios(sections);
for (const line of fallen) process.stderr.write(`${line}\n`);
if (fallen.length + failed.length > 0) process.exitCode = 1;
if (!options.quick) {
  const page = resolve(import.meta.dirname, '../docs/reference/benchmarks.md');
  // A whole run writes the whole page, so that all its sections are of one day and one version. A failed section keeps what it was.
  const isWhole = wanted.length === 0 && failed.length === 0;
  await writeFile(page, report(isWhole ? '' : await readFile(page, 'utf8'), sections, facts));
}
