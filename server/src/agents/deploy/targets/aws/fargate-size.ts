// The sizes that Fargate has. A processor is 1024 units, and memory is in MiB. Source: the table of task sizes in the guide of Amazon ECS for Linux.
import { Problem } from '@gantry/contract/problems.ts';
import type { ResourceLimits } from '@gantry/project/agent-yaml.ts';

export interface FargateSize {
  /** In 1024ths of a processor. */
  cpu: number;
  /** In MiB. */
  memory: number;
  /** A sentence for people. Undefined when the size is the one that was asked for. */
  rounded?: string;
}

interface Row {
  cpu: number;
  least: number;
  most: number;
  step: number;
}

/** 256 units have no even steps: 512, 1024 and 2048 MiB. So it has two rows. */
const rows: readonly Row[] = [
  { cpu: 256, least: 512, most: 1024, step: 512 },
  { cpu: 256, least: 2048, most: 2048, step: 1024 },
  { cpu: 512, least: 1024, most: 4096, step: 1024 },
  { cpu: 1024, least: 2048, most: 8192, step: 1024 },
  { cpu: 2048, least: 4096, most: 16_384, step: 1024 },
  { cpu: 4096, least: 8192, most: 30_720, step: 1024 },
  { cpu: 8192, least: 16_384, most: 61_440, step: 4096 },
  { cpu: 16_384, least: 32_768, most: 122_880, step: 8192 },
];

/** The smallest size with at least these resources. Throws `start_failed` when Fargate has none. */
export function fargateSize({ cpu_count, memory_bytes }: ResourceLimits): FargateSize {
  const asked = { cpu: cpu_count * 1024, memory: memory_bytes / 1024 ** 2 };
  const row = rows.find(({ cpu, most }) => cpu >= asked.cpu && most >= asked.memory);
  if (row === undefined)
    throw new Problem('start_failed', {
      detail: `Fargate has no size with ${say(asked)}. Its largest has ${say(largest)}.`,
      hint: 'Lower deploy.resources in agent.yaml, or deploy to another target.',
    });
  const { cpu, least, step } = row;
  const memory = least + Math.max(0, Math.ceil((asked.memory - least) / step)) * step;
  if (cpu === asked.cpu && memory === asked.memory) return { cpu, memory };
  return {
    cpu,
    memory,
    rounded: `Fargate has no size with ${say(asked)}. The agent gets ${say({ cpu, memory })}.`,
  };
}

export function isFargateSize({ cpu, memory }: { cpu: number; memory: number }): boolean {
  return rows.some(
    (row) => row.cpu === cpu && memory >= row.least && memory <= row.most && (memory - row.least) % row.step === 0,
  );
}

const largest = { cpu: 16_384, memory: 122_880 };

const say = ({ cpu, memory }: { cpu: number; memory: number }) =>
  `${Number((cpu / 1024).toFixed(3))} CPU and ${Number(memory.toFixed(3))} MiB`;
