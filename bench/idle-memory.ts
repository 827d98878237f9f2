// The memory of the idle service, PostgreSQL included. It is the sum of the proportional shares of all its processes, so shared memory is
// counted once.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendants } from './load/process-tree.ts';
import type { Row } from './report/row.ts';
import { repeat } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const settle_ms = 35_000; // connections that idle are closed after 30 s
const samples = 5;

export async function measure({ installation }: Measured): Promise<Row[]> {
  const pid = await installation.pid();
  await sleep(settle_ms);
  const looked = await repeat(samples, async () => {
    await sleep(1000);
    const below = await descendants(pid);
    const database = await Promise.all(below.map(pssMegabytes));
    return {
      service: await pssMegabytes(pid),
      database: database.reduce((sum, one) => sum + one, 0),
      processes: below.length,
    };
  });
  const all = looked.map(({ service, database }) => service + database);
  const last = looked.at(-1)?.processes ?? 0;
  return [
    {
      measure: 'idle service with embedded PostgreSQL',
      unit: 'MB',
      at_most: 150,
      samples: all,
      how: `proportional set sizes, after ${settle_ms / 1000} s of rest`,
    },
    { measure: '… of it the service', unit: 'MB', samples: looked.map(({ service }) => service), how: 'one process' },
    {
      measure: '… of it PostgreSQL',
      unit: 'MB',
      samples: looked.map(({ database }) => database),
      how: `${last} processes`,
    },
  ];
}

/** The proportional set size. */
export async function pssMegabytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024;
}
