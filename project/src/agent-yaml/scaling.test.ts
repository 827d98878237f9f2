import { expect, test } from 'vitest';
import type { AgentConfig } from './config.ts';
import { scalerRuleOf } from './scaling.ts';

type ScalingConfig = NonNullable<NonNullable<AgentConfig['deploy']>['scaling']>;
const rule = (scaling: ScalingConfig | undefined) => scalerRuleOf({ deploy: { scaling } });

test('a scaler that looks at the processor alone has a rule only where `target_cpu` is the one rule', () => {
  expect(rule({ min: 1, max: 3, target_cpu: 60 })).toEqual({ min: 1, max: 3, target_cpu: 60 });
  expect(rule({ max: 3, target_cpu: 60 })).toEqual({ min: 1, max: 3, target_cpu: 60 });
  // Calls count too, the agent sleeps, its number is fixed, or nobody has asked for it.
  expect(rule({ min: 1, max: 3, target_cpu: 60, target_concurrency: 4 })).toBeUndefined();
  expect(rule({ min: 0, max: 3, target_cpu: 60 })).toBeUndefined();
  expect(rule({ min: 2, max: 2, target_cpu: 60 })).toBeUndefined();
  expect(rule({ min: 1, max: 3 })).toBeUndefined();
  expect(rule(undefined)).toBeUndefined();
});
