import { z } from 'zod';
import { kind } from './kind.ts';

/** What no agent here fits, with the reason (docs/decisions/0182). */
const express =
  'is `ecs-express`, which puts a load balancer in front of every replica and ends those that listen on no port; agents here listen on none. Use `ecs-fargate`';

/** A cluster of Amazon ECS, in one region of one account. */
export const aws = kind({
  fields: {
    runtime: z
      .enum(['ecs-fargate', 'ecs-express'])
      .optional()
      .describe('What runs agents in AWS: `ecs-fargate`, Fargate of Amazon ECS'),
    region: z
      .string()
      .max(30)
      .regex(/^[a-z]{2}(-[a-z]+){1,3}-[1-9]$/, 'is no region of AWS, such as eu-west-1')
      .optional()
      .describe('The region of AWS'),
    cluster: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,255}$/, 'is no name of a cluster: letters, digits, hyphens and underscores')
      .optional()
      .describe('The cluster of Amazon ECS. It exists'),
    subnets: z
      .array(z.string().regex(/^subnet-[0-9a-f]{8,17}$/, 'is no subnet, such as subnet-0a1b2c3d'))
      .min(1)
      .max(16)
      .optional()
      .describe('The subnets of the agents. They reach the door, ECR, Secrets Manager and CloudWatch Logs'),
    security_groups: z
      .array(z.string().regex(/^sg-[0-9a-f]{8,17}$/, 'is no security group, such as sg-0a1b2c3d'))
      .min(1)
      .max(5)
      .optional()
      .describe('The security groups of the agents. Nothing needs to come in'),
    execution_role_arn: role('The role with which Fargate fetches the image and the secret, and writes the log'),
    task_role_arn: role('The role of the agents themselves; unset: they have none'),
    log_group: z
      .string()
      .regex(/^[A-Za-z0-9_/.#-]{1,512}$/, 'is no name of a log group')
      .optional()
      .describe('The log group of CloudWatch; unset: /gantry/agents'),
  },
  check(config, fault) {
    for (const field of ['runtime', 'region', 'cluster', 'subnets', 'security_groups', 'execution_role_arn'] as const)
      if (config[field] === undefined) fault(field, 'is missing; AWS needs it');
    if (config.runtime === 'ecs-express') fault('runtime', express);
    if (config.address !== undefined) fault('address', 'does not belong to `kind: aws`; the region says it');
    if (config.ca !== undefined) fault('ca', 'does not belong to `kind: aws`');
    const { region, execution_role_arn, task_role_arn, registry } = config;
    const account = accountOf(execution_role_arn);
    if (region === undefined || account === undefined) return;
    if (task_role_arn !== undefined && accountOf(task_role_arn) !== account)
      fault('task_role_arn', 'is of another account than `execution_role_arn`');
    const host = `https://${account}.dkr.ecr.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
    if (!registry.startsWith(host) || !/^[a-z0-9]+([._/-][a-z0-9]+)*$/.test(registry.slice(host.length)))
      fault('registry', `is not ${host}<repository>, the registry of this account in this region`);
  },
});

function role(meaning: string) {
  return z
    .string()
    .regex(/^arn:aws(-[a-z]+)*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, 'is not arn:aws:iam::<account>:role/<name>')
    .optional()
    .describe(meaning);
}

const accountOf = (arn: string | undefined) => arn?.split(':')[4];
