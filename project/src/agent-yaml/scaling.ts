import type { AgentConfig } from './config.ts';

export interface Scaling {
  /** The number of instances is from `min` to `max`. */
  min: number;
  max: number;
  /** Percent of the processor limit of an instance. Above it, instances are added. */
  target_cpu: number;
  /** Open calls of an instance. Above it, instances are added. Undefined: half of the calls that an instance runs at once. */
  target_concurrency: number | undefined;
}

/** Where `target_cpu` is the one rule. A scaler of the target can follow it then. With any other rule, the service sets the number. */
export function processorRule({ deploy }: Pick<AgentConfig, 'deploy'>): ProcessorRule | undefined {
  const { target_cpu, target_concurrency } = deploy?.scaling ?? {};
  const { min, max } = scalingOf({ deploy });
  if (target_cpu === undefined || target_concurrency !== undefined || min === 0 || min === max) return undefined;
  return { min, max, target_cpu };
}

export type ProcessorRule = Pick<Scaling, 'min' | 'max' | 'target_cpu'>;

const default_target_cpu = 70;

/** Without `deploy.scaling`, an agent has one instance. */
export function scalingOf({ deploy }: Pick<AgentConfig, 'deploy'>): Scaling {
  const {
    min = 1,
    max = Math.max(1, min),
    target_cpu = default_target_cpu,
    target_concurrency,
  } = deploy?.scaling ?? {};
  return { min, max, target_cpu, target_concurrency };
}
