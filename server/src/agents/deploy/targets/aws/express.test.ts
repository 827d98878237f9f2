// Why no target is an Express service of ECS: what an agent here needs has no place in its requests (docs/decisions/0182). Schema-checked.
import { expect, test } from 'vitest';
import { described, planning } from '../../../../testing/agents/aws-revision.ts';
import { checkAgainstModels } from '../../../../testing/servers/aws-models.ts';
import { taskDefinition } from './requests.ts';

const { settings } = planning;
const service = 'ecs';
const express = {
  serviceName: described.name,
  cluster: settings.cluster,
  executionRoleArn: settings.execution_role_arn,
  infrastructureRoleArn: 'arn:aws:iam::123456789012:role/infrastructure',
  primaryContainer: { image: described.image, containerPort: 8080 },
  networkConfiguration: { subnets: [...settings.subnets], securityGroups: [...settings.security_groups] },
  scalingTarget: { minTaskCount: 1, maxTaskCount: 1 },
};
const [container] =
  taskDefinition(described, planning, { secret_arn: 'arn:aws:secretsmanager:x' }).containerDefinitions ?? [];
const create = (input: object) => ({ service, operation: 'CreateExpressGatewayService', input });

test('an Express service cannot be told the number of its replicas, nor to have no entrance', async () => {
  const serviceArn = 'arn:aws:ecs:eu-west-1:123456789012:service/agents/a';
  const known = await checkAgainstModels([
    create(express),
    { service, operation: 'UpdateExpressGatewayService', input: { serviceArn, scalingTarget: express.scalingTarget } },
    { service, operation: 'DescribeExpressGatewayService', input: { serviceArn } },
    { service, operation: 'DeleteExpressGatewayService', input: { serviceArn } },
  ]);
  expect(known).toEqual([[], [], [], []]);
  const wanted = { desiredCount: 0, loadBalancers: [], deploymentConfiguration: {} };
  await expectUnknown(Object.entries(wanted).map(([member, value]) => [member, { ...express, [member]: value }]));
}, 120_000);

test('its container cannot be told its user, its capabilities, its folder and its time to end', async () => {
  const members = ['user', 'linuxParameters', 'workingDirectory', 'stopTimeout'] as const;
  for (const member of members) expect(container).toHaveProperty(member);
  const with_it = (member: (typeof members)[number]) => ({
    ...express.primaryContainer,
    [member]: container?.[member],
  });
  await expectUnknown(members.map((member) => [member, { ...express, primaryContainer: with_it(member) }]));
}, 120_000);

async function expectUnknown(inputs: [member: string, input: object][]): Promise<void> {
  const faults = await checkAgainstModels(inputs.map(([, input]) => create(input)));
  expect(faults.map((found, at) => found.join().includes(`"${inputs[at]?.[0]}"`))).toEqual(inputs.map(() => true));
}
