import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { fanOutFanIn } from './fan-out-fan-in.ts';
import { parallel } from './parallel.ts';
import { router } from './router.ts';
import { sequential } from './sequential.ts';
import type { Strategy } from './strategy.ts';
import { supervisor } from './supervisor.ts';

export const strategies: Readonly<Record<OrchestrationConfig['strategy'], Strategy>> = {
  sequential,
  parallel,
  fan_out_fan_in: fanOutFanIn,
  router,
  supervisor,
};
