// The machine behind the figures, without names and paths.
import { mkdtemp, open, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { quantile, repeat, timed } from '../load/sampling.ts';

export async function machineFacts(): Promise<string[]> {
  const sync = await syncMilliseconds();
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 1024 ** 3)} GB of memory, ${process.platform}`,
    `Node ${process.versions.node}`,
    `load average of the minute before the run: ${(loadavg()[0] ?? 0).toFixed(1)}`,
    `fsync of 4 kB: p50 ${quantile(sync, 0.5).toFixed(2)} ms, p99 ${quantile(sync, 0.99).toFixed(2)} ms`,
  ];
}

/** Every commit of the database waits for one. */
export async function syncMilliseconds(): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-bench-'));
  const file = await open(join(folder, 'file'), 'w');
  try {
    const bytes = Buffer.alloc(4096, 1);
    return await repeat(200, async () => {
      await file.write(bytes);
      return await timed(async () => await file.datasync());
    });
  } finally {
    await file.close();
    await rm(folder, { recursive: true });
  }
}
