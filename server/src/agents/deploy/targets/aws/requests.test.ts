// The requests of a revision against the models of botocore and our own rules. Nothing is sent.
import { describe, expect, test } from 'vitest';
import { checkAgainstModels } from '../../../../testing/servers/aws-models.ts';
import { fargateSize, isFargateSize } from './fargate-size.ts';
import { brokenRules } from './plan-rules.ts';
import { planOf, type Plan } from './plan.ts';
import { scaling, taskDefinition } from './requests.ts';
import { described, planning } from '../../../../testing/agents/aws-revision.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
const plan = planOf(described, planning);
const [container] = plan.task_definition.containerDefinitions ?? [];

const modelled = ({ log_group, repository, secret, task_definition, service }: Plan) => [
  { service: 'logs', operation: 'CreateLogGroup', input: log_group },
  { service: 'ecr', operation: 'CreateRepository', input: repository },
  { service: 'secretsmanager', operation: 'CreateSecret', input: secret },
  { service: 'ecs', operation: 'RegisterTaskDefinition', input: task_definition },
  { service: 'ecs', operation: 'CreateService', input: service },
];

test("every request of a plan fits botocore's models and the rules that they lack", async () => {
  const update = scaling(described.name, planning, { replicas: 2, restarts: true });
  const requests = [...modelled(plan), { service: 'ecs', operation: 'UpdateService', input: update }];
  expect(await checkAgainstModels(requests)).toEqual(requests.map(() => []));
  expect(brokenRules(plan)).toEqual([]);
  expect(plan.notes).toEqual([]);
}, 120_000);

test("botocore's models find a wrong type, enum, pattern, length, member and operation", async () => {
  const { task_definition, service, secret, log_group } = plan;
  const wrong = [
    { service: 'ecs', operation: 'RegisterTaskDefinition', input: { ...task_definition, family: undefined } },
    { service: 'ecs', operation: 'RegisterTaskDefinition', input: { ...task_definition, cpu: 256 } },
    { service: 'ecs', operation: 'RegisterTaskDefinition', input: { ...task_definition, networkMode: 'vpc' } },
    { service: 'ecs', operation: 'CreateService', input: { ...service, replicas: 1 } },
    { service: 'secretsmanager', operation: 'CreateSecret', input: { ...secret, ClientRequestToken: 'short' } },
    { service: 'logs', operation: 'CreateLogGroup', input: { ...log_group, logGroupName: 'with a space' } },
    { service: 'ecs', operation: 'MakeService', input: {} },
  ];
  for (const faults of await checkAgainstModels(wrong)) expect(faults).not.toEqual([]);
}, 120_000);

test('the same attempt has the same names and tokens, and another attempt another token', () => {
  expect(planOf(described, planning)).toEqual(plan);
  const next = planOf({ ...described, fence: 2 }, planning);
  expect(next.service.serviceName).toBe(plan.service.serviceName);
  expect(next.service.clientToken).not.toBe(plan.service.clientToken);
  expect(next.secret.ClientRequestToken).not.toBe(plan.secret.ClientRequestToken);
});

test('a size between two of Fargate is rounded up and said, and an impossible one is refused', () => {
  expect(fargateSize({ cpu_count: 1, memory_bytes: GiB })).toEqual({
    cpu: 1024,
    memory: 2048,
    rounded: 'Fargate has no size with 1 CPU and 1024 MiB. The agent gets 1 CPU and 2048 MiB.',
  });
  expect(fargateSize({ cpu_count: 0.05, memory_bytes: 1.2 * GiB })).toMatchObject({ cpu: 256, memory: 2048 });
  expect(fargateSize({ cpu_count: 0.25, memory_bytes: 2.5 * GiB })).toMatchObject({ cpu: 512, memory: 3072 });
  expect(fargateSize({ cpu_count: 8, memory_bytes: 17 * GiB })).toMatchObject({ cpu: 8192, memory: 20_480 });
  expect(fargateSize({ cpu_count: 16, memory_bytes: 120 * GiB })).toEqual({ cpu: 16_384, memory: 122_880 });
  expect(() => fargateSize({ cpu_count: 17, memory_bytes: GiB })).toThrow('Fargate has no size with 17 CPU');
  expect(() => fargateSize({ cpu_count: 1, memory_bytes: 121 * GiB })).toThrow('and 123904 MiB');
});

test('every size that is given is one of Fargate', () => {
  for (let cpu_count = 0.05; cpu_count <= 16; cpu_count += 0.35)
    for (let memory_bytes = 64 * MiB; memory_bytes < 120 * GiB; memory_bytes = memory_bytes * 1.3 + 1) {
      const { cpu, memory } = fargateSize({ cpu_count, memory_bytes });
      expect(isFargateSize({ cpu, memory })).toBe(true);
      expect(cpu >= cpu_count * 1024 && memory * MiB >= memory_bytes).toBe(true);
    }
});

// Each of these has shipped in a platform that deploys agents to Fargate, by its own list of changes.
describe('the seven faults of deploys to Fargate', () => {
  test('fault 1: a processor is 1024 units, and memory is in MiB', () => {
    expect(fargateSize({ cpu_count: 0.25, memory_bytes: 512 * MiB })).toEqual({ cpu: 256, memory: 512 });
    expect(fargateSize({ cpu_count: 1, memory_bytes: 2 * GiB })).toEqual({ cpu: 1024, memory: 2048 });
    expect(plan.task_definition).toMatchObject({ cpu: '512', memory: '1024' });
  });

  test('fault 2: the log group of the container is the one that is made before', () => {
    expect(container?.logConfiguration?.options).toMatchObject({ 'awslogs-group': plan.log_group.logGroupName });
    expect(Object.keys(plan).indexOf('log_group')).toBeLessThan(Object.keys(plan).indexOf('service'));
  });

  test('fault 3: no port is named, because a replica listens on none', () => {
    expect(container).not.toHaveProperty('portMappings');
    expect(plan.service).not.toHaveProperty('loadBalancers');
  });

  test('fault 4: no health check of ECS needs a program or a port that the image lacks', () => {
    expect(container).not.toHaveProperty('healthCheck');
  });

  test('fault 5: a replica has no public address', () => {
    expect(plan.service.networkConfiguration?.awsvpcConfiguration?.assignPublicIp).toBe('DISABLED');
  });

  test('fault 6: the secret is named by its whole ARN', () => {
    const secret_arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:gantry/x/svc-parrot-a1b2c3d4-Zx9QeR';
    const { containerDefinitions } = taskDefinition(described, planning, { secret_arn });
    expect(containerDefinitions?.[0]?.secrets).toEqual([{ name: 'SVC_SECRETS', valueFrom: secret_arn }]);
  });

  test('fault 7: there is no container beside the agent that would need a token, and no value of a secret in a request', () => {
    expect(plan.task_definition.containerDefinitions).toHaveLength(1);
    expect(container?.environment).toEqual([{ name: 'SVC_AGENT_NAME', value: 'parrot' }]);
    expect(plan.secret.SecretString).toBe('{}');
  });
});

const broken = (change: (own: Plan) => void) => {
  const own = structuredClone(plan);
  change(own);
  return brokenRules(own);
};

test.each<[string, (own: Plan) => void]>([
  ['The family a b has other characters', ({ task_definition }) => (task_definition.family = 'a b')],
  [
    'Fargate has no size with 256 CPU units and 4096 MiB',
    ({ task_definition }) => {
      task_definition.cpu = '256';
      task_definition.memory = '4096';
    },
  ],
  [
    'The task definition is not for Fargate',
    ({ task_definition }) => (task_definition.requiresCompatibilities = ['EC2']),
  ],
  ['Secrets need an execution role', ({ task_definition }) => delete task_definition.executionRoleArn],
  ['Fargate needs the network mode awsvpc', ({ task_definition }) => (task_definition.networkMode = 'bridge')],
  ['needs a network configuration', ({ service }) => delete service.networkConfiguration],
  ['has no subnet', ({ service }) => (service.networkConfiguration = { awsvpcConfiguration: { subnets: [] } })],
  ['is not made before its first task', ({ log_group }) => (log_group.logGroupName = '/another')],
  [
    'At most 100 % and at least 120 %',
    ({ service }) => (service.deploymentConfiguration = { maximumPercent: 100, minimumHealthyPercent: 120 }),
  ],
  [
    'no deployment can begin',
    ({ service }) => (service.deploymentConfiguration = { maximumPercent: 100, minimumHealthyPercent: 100 }),
  ],
  ['leads to no container', ({ service }) => (service.loadBalancers = [{ containerName: 'web', containerPort: 80 }])],
  [
    'both as a secret and in plain text',
    (own) => own.task_definition.containerDefinitions?.[0]?.environment?.push({ name: 'SVC_SECRETS', value: 'x' }),
  ],
  ['no privileges', (own) => alter(own, { privileged: true })],
  ['waits 120 s', (own) => alter(own, { stopTimeout: 121 })],
  ['begins with neither CMD nor CMD-SHELL', (own) => alter(own, { healthCheck: { command: ['curl', '-f'] } })],
  ['No container is essential', (own) => alter(own, { essential: false })],
  ['does not go to CloudWatch', (own) => alter(own, { logConfiguration: undefined })],
])('a rule that the models lack: %s', (sentence, change) => {
  expect(broken(change).join(' ')).toContain(sentence);
});

function alter(own: Plan, change: Partial<NonNullable<typeof container>>): void {
  Object.assign(own.task_definition.containerDefinitions?.[0] ?? {}, change);
}
