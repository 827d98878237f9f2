// The sizes of a worker pool. Source: the tables of CPU and memory limits for worker pools in the documentation of Cloud Run. It also names six
// processors, which the description of the API does not.
import { Problem } from '@gantry/contract/problems.ts';
import type { ResourceLimits } from '@gantry/project/agent-yaml.ts';

export interface RunSize {
  cpu: number;
  /** In MiB. */
  memory: number;
  /** A sentence for people. Undefined when the size is the one that was asked for. */
  rounded?: string;
}

const rows = [
  { cpu: 1, least: 512, most: 4096 },
  { cpu: 2, least: 512, most: 8192 },
  { cpu: 4, least: 2048, most: 16_384 },
  { cpu: 8, least: 4096, most: 32_768 },
] as const;

/** The smallest size with at least these resources. Throws `start_failed` when Cloud Run has none. */
export function runSize({ cpu_count, memory_bytes }: ResourceLimits): RunSize {
  const asked = { cpu: cpu_count, memory: memory_bytes / 1024 ** 2 };
  const row = rows.find(({ cpu, most }) => cpu >= asked.cpu && most >= asked.memory);
  if (row === undefined)
    throw new Problem('start_failed', {
      detail: `Cloud Run has no size with ${say(asked)}. Its largest has ${say({ cpu: 8, memory: 32_768 })}.`,
      hint: 'Lower deploy.resources in agent.yaml, or deploy to another target.',
    });
  const size = { cpu: row.cpu, memory: Math.max(row.least, Math.ceil(asked.memory)) };
  if (size.cpu === asked.cpu && size.memory === asked.memory) return size;
  return { ...size, rounded: `Cloud Run has no size with ${say(asked)}. The agent gets ${say(size)}.` };
}

export const isRunSize = ({ cpu, memory }: { cpu: number; memory: number }): boolean =>
  rows.some((row) => row.cpu === cpu && memory >= row.least && memory <= row.most);

const say = ({ cpu, memory }: { cpu: number; memory: number }) =>
  `${Number(cpu.toFixed(3))} CPU and ${Number(memory.toFixed(3))} MiB`;
