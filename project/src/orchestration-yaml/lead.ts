import type { OrchestrationConfig } from './config.ts';

const leads = { supervisor: 'supervisor_agent', fan_out_fan_in: 'merge_agent' } as const;

export interface Lead {
  field: (typeof leads)[keyof typeof leads];
  /** A local name. */
  name: string | undefined;
}

/** The supervisor or the merge agent. It is never a worker: it is called with the outputs of the others. */
export function leadOf({
  strategy,
  supervisor_config = {},
}: Pick<OrchestrationConfig, 'strategy' | 'supervisor_config'>): Lead | undefined {
  if (strategy !== 'supervisor' && strategy !== 'fan_out_fan_in') return undefined;
  const field = leads[strategy];
  return { field, name: supervisor_config[field] };
}
