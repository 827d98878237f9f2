import type { Described } from '../replicas/platform.ts';
import { digestOf, logGroup, repository, secret, service, taskDefinition, type Planning } from './requests.ts';
import { fargateSize } from './fargate-size.ts';

/** What a deploy makes, in this order. */
export interface Plan {
  log_group: ReturnType<typeof logGroup>;
  repository: ReturnType<typeof repository>;
  secret: ReturnType<typeof secret>;
  task_definition: ReturnType<typeof taskDefinition>;
  service: ReturnType<typeof service>;
  /** For people. */
  notes: string[];
}

/** Before anything is made. The names that AWS gives are in angle brackets. */
export function planOf(described: Described, planning: Planning): Plan {
  const { rounded } = fargateSize(described.resources);
  const made = secret(described, planning);
  const task_definition = taskDefinition(described, planning, { secret_arn: `<ARN of ${made.Name}>` });
  const task_definition_arn = `<ARN of ${described.name}>`;
  return {
    log_group: logGroup(planning),
    repository: repository(planning),
    secret: made,
    task_definition,
    service: service(described, planning, {
      task_definition: task_definition_arn,
      digest: digestOf(task_definition),
    }),
    notes: rounded === undefined ? [] : [rounded],
  };
}
