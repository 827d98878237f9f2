// Application Auto Scaling for a revision whose one rule is the use of its processors. It acts while the service asks for `min` replicas or more. With
// fewer, as at a start and at an end, there is no scalable target, no policy and no alarm, so that it starts nothing which the service stops.
import type {
  DeregisterScalableTargetCommandInput,
  PutScalingPolicyCommandInput,
  RegisterScalableTargetCommandInput,
} from '@aws-sdk/client-application-auto-scaling';
import type { ScalerRule } from '@gantry/project/agent-yaml/scaling.ts';
import { z } from 'zod';
import type { EcsSettings } from './settings.ts';

/** A new replica takes a moment until it works. One that is taken away was idle for minutes, as where the service scales. */
const cooldown = { out_seconds: 60, in_seconds: 300 };

type At = Pick<EcsSettings, 'cluster'>;

export const scalableTarget = (
  name: string,
  at: At,
  { min, max }: Pick<ScalerRule, 'min' | 'max'>,
): RegisterScalableTargetCommandInput => ({ ...scaledBy(name, at), MinCapacity: min, MaxCapacity: max });

export const scalingPolicy = (
  name: string,
  at: At,
  { target_cpu }: Pick<ScalerRule, 'target_cpu'>,
): PutScalingPolicyCommandInput => ({
  ...scaledBy(name, at),
  PolicyName: name,
  PolicyType: 'TargetTrackingScaling',
  TargetTrackingScalingPolicyConfiguration: {
    TargetValue: target_cpu,
    PredefinedMetricSpecification: { PredefinedMetricType: 'ECSServiceAverageCPUUtilization' },
    ScaleOutCooldown: cooldown.out_seconds,
    ScaleInCooldown: cooldown.in_seconds,
  },
});

/** By its cluster and its name. */
export const scaledBy = (name: string, { cluster }: At) =>
  ({
    ServiceNamespace: 'ecs',
    ResourceId: `service/${cluster}/${name}`,
    ScalableDimension: 'ecs:service:DesiredCount',
  }) as const satisfies DeregisterScalableTargetCommandInput;

/** The rule, as a tag of the service, which takes no braces and no quotes. */
export const scaler_tag = 'gantry.scaler';
export const ruleAsTag = ({ min, max, target_cpu }: ScalerRule): string => `${min}/${max}/${target_cpu}`;

const count = z.coerce.number().int().positive();
const written = z.tuple([count, count, count]);

export function ruleInTag(tag: string | undefined): ScalerRule | undefined {
  if (tag === undefined) return undefined;
  const [min, max, target_cpu] = written.parse(tag.split('/'));
  return { min, max, target_cpu };
}
