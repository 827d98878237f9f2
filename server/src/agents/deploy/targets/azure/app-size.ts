// The sizes of a container app without a workload profile of its own. Source: the table of CPU and memory in the documentation of Container Apps.
import { Problem } from '@gantry/contract/problems.ts';
import type { ResourceLimits } from '@gantry/project/agent-yaml.ts';

export interface AppSize {
  cpu: number;
  /** In GiB: twice the number of processors. */
  memory: number;
  /** A sentence for people. Undefined when the size is the one that was asked for. */
  rounded?: string;
}

const step = 0.25;
const most_cpu = 4;

/** The smallest size with at least these resources. Throws `start_failed` when Container Apps has none. */
export function appSize({ cpu_count, memory_bytes }: ResourceLimits): AppSize {
  const asked = { cpu: cpu_count, memory: memory_bytes / 1024 ** 3 };
  const cpu = Math.max(step, Math.ceil(Math.max(asked.cpu, asked.memory / 2) / step) * step);
  const size = { cpu, memory: cpu * 2 };
  if (!isAppSize(size))
    throw new Problem('start_failed', {
      detail: `Container Apps has no size with ${say(asked)}. Its largest has ${say({ cpu: most_cpu, memory: most_cpu * 2 })}.`,
      hint: 'Lower deploy.resources in agent.yaml, or deploy to another target.',
    });
  if (size.cpu === asked.cpu && size.memory === asked.memory) return size;
  return { ...size, rounded: `Container Apps has no size with ${say(asked)}. The agent gets ${say(size)}.` };
}

export const isAppSize = ({ cpu, memory }: { cpu: number; memory: number }): boolean =>
  cpu >= step && cpu <= most_cpu && Number.isInteger(cpu / step) && memory === cpu * 2;

const say = ({ cpu, memory }: { cpu: number; memory: number }) =>
  `${Number(cpu.toFixed(3))} CPU and ${Number(memory.toFixed(3))} GiB`;
