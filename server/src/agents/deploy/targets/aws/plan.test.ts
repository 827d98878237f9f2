import { expect, test } from 'vitest';
import { described, planning } from '../../../../testing/agents/aws-revision.ts';
import { checkAgainstModels } from '../../../../testing/servers/aws-models.ts';
import type { Planned } from '../target.ts';
import { targetPlan } from './plan.ts';

const planned: Planned = {
  ...described,
  scaling: { min: 2, max: 5 },
  secrets: ['TOKEN'],
  files: { SVC_JOIN_TOKEN: 'the token of the revision', TOKEN: 'the value of a secret' },
};
const scaler = { min: 2, max: 5, target_cpu: 60 };
const covers = (more: Partial<Planned> = {}) => targetPlan({ ...planned, ...more }, planning).covers;
const service_of: Record<string, string> = {
  CreateRepository: 'ecr',
  CreateLogGroup: 'logs',
  CreateSecret: 'secretsmanager',
  PutSecretValue: 'secretsmanager',
  RegisterScalableTarget: 'application-autoscaling',
  PutScalingPolicy: 'application-autoscaling',
};

test("a plan has every request of a deploy in its order, fits botocore's models, and has no value of a secret", async () => {
  const { requests, broken, cost } = targetPlan({ ...planned, scaler }, planning);
  expect(requests.map(({ action, resource }) => `${action} ${resource.kind} ${resource.name}`)).toEqual([
    'CreateRepository repository gantry/agents',
    'CreateLogGroup log group /gantry/agents',
    `CreateSecret secret gantry/${planning.installation_id}/svc-parrot-a1b2c3d4`,
    'RegisterTaskDefinition task definition svc-parrot-a1b2c3d4',
    'CreateService service svc-parrot-a1b2c3d4',
    `PutSecretValue secret gantry/${planning.installation_id}/svc-parrot-a1b2c3d4`,
    'TagResource service svc-parrot-a1b2c3d4',
    'UpdateService service svc-parrot-a1b2c3d4',
    'RegisterScalableTarget scalable target svc-parrot-a1b2c3d4',
    'PutScalingPolicy scaling policy svc-parrot-a1b2c3d4',
  ]);
  expect(broken).toEqual([]);
  // 730 hours of half a processor and 1 GB, twice and five times.
  expect(cost).toMatchObject({ currency: 'USD', idle: '36.04', max: '90.10' });
  const modelled = requests.map(({ action, body }) => ({
    service: service_of[action] ?? 'ecs',
    operation: action,
    // Of this request. A tag takes no brackets.
    input: JSON.parse(JSON.stringify(body).replace('<the time of the request>', '0')) as object,
  }));
  expect(await checkAgainstModels(modelled)).toEqual(requests.map(() => []));
  for (const value of Object.values(planned.files)) expect(JSON.stringify(requests)).not.toContain(value);
}, 120_000);

test('an approval covers kinds, size, roles, reach and the names of secrets; a deploy changes nothing of that', () => {
  expect(covers()).toEqual({
    kinds: ['log group', 'repository', 'secret', 'service', 'task definition'],
    size: { cpu: '512', memory: '1024' },
    permissions: [`execution role ${planning.settings.execution_role_arn}`],
    reach: ['out: *'],
    secrets: ['TOKEN'],
  });
  const next = { image: described.image.replaceAll('a', 'b'), fence: 7, name: 'svc-parrot-b1b2c3d4' };
  expect(covers({ ...next, scaling: { min: 3, max: 5 } })).toEqual(covers());
});

test('a role of the agent, another size and a scaler are covered', () => {
  const task_role_arn = 'arn:aws:iam::123456789012:role/agents';
  const own = { ...planning, settings: { ...planning.settings, task_role_arn } };
  expect(targetPlan(planned, own).covers.permissions).toContain(`role ${task_role_arn}`);
  expect(covers({ resources: { cpu_count: 1, memory_bytes: 2 * 1024 ** 3 } }).size).toEqual({
    cpu: '1024',
    memory: '2048',
  });
  expect(covers({ scaler }).kinds).toContain('scaling policy');
});

test('a size that was rounded is said, an impossible one has no plan, and what AWS would refuse is a broken rule', () => {
  const odd = { cpu_count: 1, memory_bytes: 1024 ** 3 };
  expect(targetPlan({ ...planned, resources: odd }, planning).notes).toEqual([
    'Fargate has no size with 1 CPU and 1024 MiB. The agent gets 1 CPU and 2048 MiB.',
  ]);
  const huge = { cpu_count: 64, memory_bytes: 1024 ** 3 };
  expect(() => targetPlan({ ...planned, resources: huge }, planning)).toThrow('Fargate has no size with 64 CPU');
  expect(targetPlan({ ...planned, name: 'a b' }, planning).broken.join(' ')).toContain('The family a b has other');
});
