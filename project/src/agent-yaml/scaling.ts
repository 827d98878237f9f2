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

/** The rule of a scaler that looks at the processor alone. */
export type ScalerRule = Pick<Scaling, 'min' | 'max' | 'target_cpu'>;

/** Where `target_cpu` is the one rule. Undefined where calls count too, where the agent sleeps, and where its number is fixed. */
export function scalerRuleOf({ deploy }: Pick<AgentConfig, 'deploy'>): ScalerRule | undefined {
  const { min, max, target_cpu, target_concurrency } = scalingOf({ deploy });
  if (deploy?.scaling?.target_cpu === undefined || target_concurrency !== undefined) return undefined;
  return min === 0 || min === max ? undefined : { min, max, target_cpu };
}

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
