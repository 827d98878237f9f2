import type {
  PutScalingPolicyCommandInput,
  RegisterScalableTargetCommandInput,
} from '@aws-sdk/client-application-auto-scaling';
import type { ContainerDefinition } from '@aws-sdk/client-ecs';
import { monthlyCost } from '../monthly-cost.ts';
import type { TargetPlan } from '../outside.ts';
import type { Described } from '../replicas/platform.ts';
import type { Planned } from '../target.ts';
import { fargateSize } from './fargate-size.ts';
import type { Made } from './made.ts';
import { brokenRules } from './plan-rules.ts';
import {
  digestOf,
  logGroup,
  repository,
  scaledTag,
  scaling,
  secret,
  service,
  taskDefinition,
  type Planning,
} from './requests.ts';
import { scalableTarget, scalingPolicy } from './scaler.ts';

/** What a deploy makes, in this order. */
export interface Plan {
  log_group: ReturnType<typeof logGroup>;
  repository: ReturnType<typeof repository>;
  secret: ReturnType<typeof secret>;
  task_definition: ReturnType<typeof taskDefinition>;
  service: ReturnType<typeof service>;
  /** Of a revision that AWS scales, once it has `min` replicas. */
  scaler?: { target: RegisterScalableTargetCommandInput; policy: PutScalingPolicyCommandInput };
  /** For people. */
  notes: string[];
}

/** Before anything is made. The names that AWS gives are in angle brackets. */
export function planOf(described: Described, planning: Planning): Plan {
  const { rounded } = fargateSize(described.resources);
  const { name, scaler } = described;
  const made = secret(described, planning);
  const task_definition = taskDefinition(described, planning, { secret_arn: `<ARN of ${made.Name}>` });
  const task_definition_arn = `<ARN of ${name}>`;
  return {
    log_group: logGroup(planning),
    repository: repository(planning),
    secret: made,
    task_definition,
    service: service(described, planning, {
      task_definition: task_definition_arn,
      digest: digestOf(task_definition),
    }),
    ...(scaler !== undefined && {
      scaler: {
        target: scalableTarget(name, planning.settings, scaler),
        policy: scalingPolicy(name, planning.settings, scaler),
      },
    }),
    notes: rounded === undefined ? [] : [rounded],
  };
}

/** What a deploy sends, for the person who decides about it. */
export function targetPlan(
  { files, secrets, egress, scaling: count, ...planned }: Planned,
  planning: Planning,
): TargetPlan {
  const plan = planOf(planned, planning);
  const { name } = planned;
  const of = (kind: Made['kind'], named = name): { kind: Made['kind']; name: string } => ({ kind, name: named });
  const secret_name = plan.secret.Name ?? '';
  const replicas = Math.max(1, count.min);
  const requests = [
    { action: 'CreateRepository', resource: of('repository', plan.repository.repositoryName), body: plan.repository },
    { action: 'CreateLogGroup', resource: of('log group', plan.log_group.logGroupName), body: plan.log_group },
    { action: 'CreateSecret', resource: of('secret', secret_name), body: plan.secret },
    { action: 'RegisterTaskDefinition', resource: of('task definition'), body: plan.task_definition },
    { action: 'CreateService', resource: of('service'), body: plan.service },
    {
      action: 'PutSecretValue',
      resource: of('secret', secret_name),
      // Stand-ins, whatever the values are.
      body: {
        SecretId: secret_name,
        SecretString: JSON.stringify(Object.fromEntries(Object.keys(files).map((file) => [file, `<${file}>`]))),
      },
    },
    {
      action: 'TagResource',
      resource: of('service'),
      body: scaledTag(`<ARN of the service ${name}>`, '<the time of the request>'),
    },
    {
      action: 'UpdateService',
      resource: of('service'),
      body: scaling(name, planning, { replicas, restarts: false }),
    },
    ...(plan.scaler === undefined
      ? []
      : [
          { action: 'RegisterScalableTarget', resource: of('scalable target'), body: plan.scaler.target },
          { action: 'PutScalingPolicy', resource: of('scaling policy'), body: plan.scaler.policy },
        ]),
  ];
  const { cpu = '', memory = '' } = plan.task_definition;
  const { notes: price_notes, ...price } = monthlyCost({
    service: 'Fargate (Linux, x86)',
    region: planning.settings.region,
    size: { cpu: Number(cpu) / 1024, memory_gb: Number(memory) / 1024 },
    scaling: count,
  });
  return {
    requests,
    ...price,
    broken: brokenRules(plan),
    notes: [...plan.notes, ...price_notes],
    covers: {
      kinds: [...new Set(requests.map(({ resource }) => resource.kind))].toSorted(),
      size: { cpu, memory },
      permissions: permissionsOf(plan),
      reach: [...callersOf(plan), ...(egress ?? ['*']).map((to) => `out: ${to}`)].toSorted(),
      secrets: secrets.toSorted(),
    },
  };
}

/** Read from the requests themselves, so that a replica with more asks for an approval. */
function permissionsOf({ task_definition, service: { enableExecuteCommand } }: Plan): string[] {
  const { executionRoleArn, taskRoleArn, containerDefinitions = [] } = task_definition;
  return [
    ...(executionRoleArn === undefined ? [] : [`execution role ${executionRoleArn}`]),
    ...(taskRoleArn === undefined ? [] : [`role ${taskRoleArn}`]),
    ...(enableExecuteCommand === true ? ['shell by ECS Exec'] : []),
    ...containerDefinitions.flatMap(ofContainer),
  ].toSorted();
}

function ofContainer({ user, privileged, linuxParameters }: ContainerDefinition): string[] {
  const { add = [], drop = [] } = linuxParameters?.capabilities ?? {};
  return [
    ...(user === undefined || /^(0|root)(:|$)/.test(user) ? ['root'] : []),
    ...(privileged === true ? ['privileged'] : []),
    ...(drop.includes('ALL') ? add : [...add, 'those of the engine']).map((capability) => `capability ${capability}`),
  ];
}

/** A port, a load balancer or a public address would let somebody in. */
function callersOf({ task_definition, service: made }: Plan): string[] {
  const isPublic = made.networkConfiguration?.awsvpcConfiguration?.assignPublicIp !== 'DISABLED';
  const ports = task_definition.containerDefinitions?.flatMap(({ portMappings = [] }) => portMappings) ?? [];
  const { loadBalancers = [], serviceRegistries = [] } = made;
  return isPublic || [...ports, ...loadBalancers, ...serviceRegistries].length > 0 ? ['in: *'] : [];
}
