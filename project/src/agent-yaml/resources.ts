import type { AgentConfig } from './config.ts';

export interface ResourceLimits {
  cpu_count: number;
  memory_bytes: number;
}

/** The resources of an agent without `deploy.resources`: importing crewai takes 180 MB, and its tools as much again. */
const defaultResources = { cpu: '1', memory: '1Gi' } as const;

/** The limits a container runs under. */
export function resourceLimits(config: Pick<AgentConfig, 'deploy'>): ResourceLimits {
  const { cpu, memory } = { ...defaultResources, ...withoutUnset(config.deploy?.resources) };
  const cpu_count = cpuCount(cpu);
  const memory_bytes = memoryBytes(memory);
  // The schema has accepted both, so only a handmade config gets here.
  if (cpu_count === undefined || memory_bytes === undefined) throw new TypeError(`not resources: ${cpu}, ${memory}`);
  return { cpu_count, memory_bytes };
}

/** `0.5` and `500m` are half a processor. Undefined for other text, or outside 0.05 to 64. */
export function cpuCount(text: string): number | undefined {
  const match = /^(\d{1,5}(?:\.\d{1,3})?)(m?)$/.exec(text);
  if (match === null) return undefined;
  const count = Number(match[1]) / (match[2] === 'm' ? 1000 : 1);
  return count >= 0.05 && count <= 64 ? count : undefined;
}

/** `512Mi`, `1Gi`, `2GB`: binary and decimal units. Undefined for other text, or outside 64 MiB to 1 TiB. */
export function memoryBytes(text: string): number | undefined {
  const match = /^(\d{1,7}(?:\.\d{1,3})?)([KMGT]i?)B?$/.exec(text);
  const unit = units[match?.[2] ?? ''];
  if (match === null || unit === undefined) return undefined;
  const bytes = Math.floor(Number(match[1]) * unit);
  return bytes >= 64 * 1024 ** 2 && bytes <= 1024 ** 4 ? bytes : undefined;
}

const units: Readonly<Record<string, number>> = {
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
};

function withoutUnset(resources: { cpu?: string | undefined; memory?: string | undefined } = {}): {
  cpu?: string;
  memory?: string;
} {
  return {
    ...(resources.cpu === undefined ? {} : { cpu: resources.cpu }),
    ...(resources.memory === undefined ? {} : { memory: resources.memory }),
  };
}
