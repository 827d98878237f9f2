// How many instances an agent needs. A pure decision: the keeper measures, and adds or drains instances.
import type { Scaling } from '@gantry/contract/agent-yaml/scaling.ts';

export interface Measured {
  /** Instances that take calls or start. */
  instances: number;
  /** The mean of the instances over the last 30 s, in percent of their processor limits. Undefined without two measurements. */
  cpu_percent: number | undefined;
  /** The time for which one instance less would have been enough. */
  calm_ms: number;
  /** The time without a call. */
  idle_ms: number;
  /** The time since the keeper last removed one. */
  since_removed_ms: number;
}

/** The bounds of the agent, and the setting of the service. */
export interface ScalingRule extends Scaling {
  /** Calm for this time, an agent loses an instance. */
  calm_before_removal_ms: number;
}

const between_removals_ms = 60_000;

/** Adds at most as many as there are. Removes one a minute after a calm time, and the last one, where allowed, after that time without calls. */
export function wantedInstances(
  { min, max, target_cpu, calm_before_removal_ms }: ScalingRule,
  { instances, cpu_percent, calm_ms, idle_ms, since_removed_ms }: Measured,
): number {
  if (min === 0 && instances === 1 && idle_ms >= calm_before_removal_ms) return 0;
  const fewest = Math.max(1, min);
  const bounded = Math.min(max, Math.max(fewest, instances));
  if (bounded !== instances || cpu_percent === undefined) return bounded;
  if (cpu_percent > target_cpu) {
    const needed = Math.ceil((instances * cpu_percent) / target_cpu);
    return Math.min(max, 2 * instances, needed);
  }
  const mayRemove = calm_ms >= calm_before_removal_ms && since_removed_ms >= between_removals_ms;
  return mayRemove ? Math.max(fewest, instances - 1) : instances;
}

/** True when one instance less would stay below the target. */
export function isCalm({ target_cpu }: Scaling, { instances, cpu_percent }: Measured): boolean {
  return instances > 1 && cpu_percent !== undefined && (cpu_percent * instances) / (instances - 1) < target_cpu;
}
