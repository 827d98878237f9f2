// What AWS refuses although the schema of the request allows it. Emulators take most of it, so nothing else tells before the deploy.
import type { ContainerDefinition } from '@aws-sdk/client-ecs';
import { isFargateSize } from './fargate-size.ts';
import type { Plan } from './plan.ts';

type Rules = Pick<Plan, 'log_group' | 'task_definition' | 'service'>;

/** A sentence for each broken rule. */
export function brokenRules(plan: Rules): string[] {
  return [...taskRules(plan), ...networkRules(plan), ...logRules(plan), ...serviceRules(plan)];
}

const family_name = /^[A-Za-z0-9_-]{1,255}$/;
const longest_stop_seconds = 120;

function taskRules({ task_definition, service }: Rules): string[] {
  const { family = '', cpu, memory, containerDefinitions = [], executionRoleArn } = task_definition;
  const isOnFargate = service.launchType === 'FARGATE';
  return said([
    [
      !family_name.test(family),
      `The family ${family} has other characters than letters, digits, - and _, or is too long.`,
    ],
    [
      isOnFargate && !isFargateSize({ cpu: Number(cpu), memory: Number(memory) }),
      `Fargate has no size with ${cpu} CPU units and ${memory} MiB.`,
    ],
    [
      isOnFargate && task_definition.requiresCompatibilities?.includes('FARGATE') !== true,
      'The task definition is not for Fargate.',
    ],
    [
      executionRoleArn === undefined && containerDefinitions.some(({ secrets = [] }) => secrets.length > 0),
      'Secrets need an execution role.',
    ],
    [!containerDefinitions.some(({ essential }) => essential !== false), 'No container is essential.'],
    ...containerDefinitions.flatMap((container) => containerRules(container, isOnFargate)),
  ]);
}

function containerRules(container: ContainerDefinition, isOnFargate: boolean): Rule[] {
  const { name, environment = [], secrets = [], linuxParameters, healthCheck, stopTimeout = 30 } = container;
  const plain = new Set(environment.map((one) => one.name));
  const twice = secrets.filter((one) => plain.has(one.name)).map((one) => one.name);
  const [kind = ''] = healthCheck?.command ?? ['CMD'];
  return [
    [twice.length > 0, `The container ${name} has ${twice.join(', ')} both as a secret and in plain text.`],
    [
      isOnFargate && (container.privileged === true || (linuxParameters?.tmpfs?.length ?? 0) > 0),
      `Fargate gives the container ${name} no privileges and no file system in memory.`,
    ],
    [isOnFargate && stopTimeout > longest_stop_seconds, `Fargate waits ${longest_stop_seconds} s for an end at most.`],
    [!['CMD', 'CMD-SHELL'].includes(kind), `The health check of ${name} begins with neither CMD nor CMD-SHELL.`],
  ];
}

function networkRules({ task_definition, service }: Rules): string[] {
  const { networkMode } = task_definition;
  const network = service.networkConfiguration?.awsvpcConfiguration;
  return said([
    [service.launchType === 'FARGATE' && networkMode !== 'awsvpc', 'Fargate needs the network mode awsvpc.'],
    [networkMode === 'awsvpc' && network === undefined, 'The network mode awsvpc needs a network configuration.'],
    [network !== undefined && (network.subnets?.length ?? 0) === 0, 'The network configuration has no subnet.'],
  ]);
}

function logRules({ log_group, task_definition }: Rules): string[] {
  return (task_definition.containerDefinitions ?? []).flatMap(({ name, logConfiguration }) => {
    const options = logConfiguration?.options ?? {};
    const group = options['awslogs-group'];
    return said([
      [logConfiguration?.logDriver !== 'awslogs', `The log of ${name} does not go to CloudWatch.`],
      [group !== log_group.logGroupName, `The log group ${group} of ${name} is not made before its first task.`],
      // Without it, the stream has the id of the engine's container, which nobody knows.
      [options['awslogs-stream-prefix'] === undefined, `The log of ${name} has no prefix of a stream.`],
      [options['awslogs-region'] === undefined, `The log of ${name} has no region.`],
    ]);
  });
}

function serviceRules({ service, task_definition }: Rules): string[] {
  const { deploymentConfiguration, loadBalancers = [] } = service;
  const { maximumPercent = 200, minimumHealthyPercent = 100 } = deploymentConfiguration ?? {};
  const containers = new Set(task_definition.containerDefinitions?.map(({ name }) => name));
  const stray = loadBalancers.filter(({ containerName }) => !containers.has(containerName));
  return said([
    [
      maximumPercent < minimumHealthyPercent,
      `At most ${maximumPercent} % and at least ${minimumHealthyPercent} % of the replicas may run during a deployment.`,
    ],
    [
      maximumPercent === 100 && minimumHealthyPercent === 100,
      'With 100 % at least and at most, no deployment can begin.',
    ],
    [stray.length > 0, `The load balancer leads to no container of the task definition.`],
  ]);
}

/** Whether it is broken, and its sentence. */
type Rule = readonly [boolean, string];

const said = (rules: readonly Rule[]): string[] =>
  rules.flatMap(([isBroken, sentence]) => (isBroken ? [sentence] : []));
