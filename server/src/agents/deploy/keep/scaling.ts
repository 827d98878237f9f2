// How many instances an agent needs. A pure decision: the keeper measures, and adds or drains instances.
import type { Scaling } from '@gantry/project/agent-yaml/scaling.ts';

export interface Measured {
  /** Instances that take calls or start. */
  instances: number;
  /** The mean of the instances over the last 30 s, in percent of their processor limits. Undefined without two measurements. */
  cpu_percent: number | undefined;
  /** Running and waiting, in all instances. */
  open_calls: number;
  /** The calls that an instance runs at once. Undefined while none has said it. */
  places: number | undefined;
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

export interface Wanted {
  instances: number;
  /** For people. Empty when nothing changes. */
  why: string;
}

const between_removals_ms = 60_000;

/**
 * Adds at most as many as there are, for the load that needs more of them. Removes one a minute after a calm time, and the last one, where
 * allowed, after that time without calls.
 */
export function wantedInstances(rule: ScalingRule, measured: Measured): Wanted {
  const { min, max, calm_before_removal_ms } = rule;
  const { instances, cpu_percent, calm_ms, idle_ms, since_removed_ms } = measured;
  if (min === 0 && instances === 1 && idle_ms >= calm_before_removal_ms)
    return { instances: 0, why: `It had no call for ${calm_before_removal_ms / 1000} s.` };
  const fewest = Math.max(1, min);
  const bounded = Math.min(max, Math.max(fewest, instances));
  if (bounded !== instances) return { instances: bounded, why: `\`deploy.scaling\` allows ${fewest} to ${max}.` };
  const most = Math.min(max, 2 * instances);
  const [need] = [needForCalls(rule, measured), needForProcessor(rule, measured)].toSorted(
    (a, b) => b.instances - a.instances,
  );
  if (need !== undefined && need.instances > instances) return { ...need, instances: Math.min(most, need.instances) };
  const mayRemove =
    cpu_percent !== undefined && calm_ms >= calm_before_removal_ms && since_removed_ms >= between_removals_ms;
  if (!mayRemove || instances === fewest) return { instances, why: '' };
  return { instances: instances - 1, why: `One less was enough for ${calm_before_removal_ms / 1000} s.` };
}

/** True when one instance less would stay below the targets. */
export function isCalm(scaling: Scaling, { instances, cpu_percent, open_calls, places }: Measured): boolean {
  if (instances === 1 || cpu_percent === undefined) return false;
  const most_calls = (targetOf(scaling, places) ?? Infinity) * (instances - 1);
  return open_calls <= most_calls && (cpu_percent * instances) / (instances - 1) < scaling.target_cpu;
}

function needForCalls(scaling: Scaling, { open_calls, places }: Measured): Wanted {
  const target = targetOf(scaling, places);
  if (target === undefined) return { instances: 0, why: '' };
  const why = `${open_calls} open calls; the target is ${target} for each container.`;
  return { instances: Math.ceil(open_calls / target), why };
}

function needForProcessor({ target_cpu }: Scaling, { instances, cpu_percent }: Measured): Wanted {
  if (cpu_percent === undefined) return { instances: 0, why: '' };
  const why = `${Math.round(cpu_percent)} % of the processor limits are in use; the target is ${target_cpu} %.`;
  return { instances: Math.ceil((instances * cpu_percent) / target_cpu), why };
}

/** One caller gets half of the places. So above half of them a call may wait. */
function targetOf({ target_concurrency }: Scaling, places: number | undefined): number | undefined {
  return target_concurrency ?? (places === undefined ? undefined : Math.ceil(places / 2));
}
