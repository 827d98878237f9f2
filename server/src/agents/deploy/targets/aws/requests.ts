// The requests of one revision, from its description and the settings of the target. Without I/O, so a plan shows what is executed.
import { createHash } from 'node:crypto';
import type { CreateLogGroupCommandInput } from '@aws-sdk/client-cloudwatch-logs';
import type { CreateRepositoryCommandInput } from '@aws-sdk/client-ecr';
import type {
  CreateServiceCommandInput,
  RegisterTaskDefinitionCommandInput,
  Tag,
  TagResourceCommandInput,
  UpdateServiceCommandInput,
} from '@aws-sdk/client-ecs';
import type { CreateSecretCommandInput } from '@aws-sdk/client-secrets-manager';
import { label } from '../../../../assets/docker/labels.ts';
import { sandbox_user } from '../../../../assets/workshop/sandbox.ts';
import type { Described } from '../replicas/platform.ts';
import { stopGraceSeconds } from '../stop-grace.ts';
import { fargateSize } from './fargate-size.ts';
import { ruleAsTag, scaler_tag } from './scaler.ts';
import { repositoryName, type EcsSettings } from './settings.ts';

export interface Planning {
  settings: EcsSettings;
  installation_id: string;
}

export const container_name = 'agent';

/** The wrapper reads all secrets from it, as it reads the files elsewhere (docs/decisions/0173). */
const secrets_variable = 'SVC_SECRETS';

export function logGroup({ settings, ...owner }: Planning): CreateLogGroupCommandInput {
  return { logGroupName: settings.log_group, tags: { [label.installation]: owner.installation_id } };
}

export function repository({ settings, ...owner }: Planning): CreateRepositoryCommandInput {
  return { repositoryName: repositoryName(settings), tags: [installationTag(owner)] };
}

/** Its value follows in `scale`. A revision without secrets has an empty one, so that each has the same requests. */
export function secret({ name, fence, ...described }: Described, planning: Planning): CreateSecretCommandInput {
  return {
    Name: secretName(name, planning),
    ClientRequestToken: token(['secret', name, fence], planning),
    SecretString: '{}',
    Tags: tags(described, planning).map(({ key, value }) => ({ Key: key, Value: value })),
  };
}

/** Policies name secrets of the service by the beginning. */
export const secretName = (name: string, { installation_id }: Pick<Planning, 'installation_id'>): string =>
  `gantry/${installation_id}/${name}`;

/**
 * All that a replica starts with, except the values of its secrets. A replica opens its connections to the door and listens on no port. So it has no
 * port mapping, and no health check of ECS, which would end every replica. The service asks for its health by these connections.
 */
export function taskDefinition(
  { name, image, variables, resources, ...described }: Omit<Described, 'fence'>,
  planning: Planning,
  { secret_arn }: { secret_arn: string },
): RegisterTaskDefinitionCommandInput {
  const { settings } = planning;
  const { cpu, memory } = fargateSize(resources);
  return {
    family: name,
    requiresCompatibilities: ['FARGATE'],
    networkMode: 'awsvpc',
    cpu: String(cpu),
    memory: String(memory),
    executionRoleArn: settings.execution_role_arn,
    ...(settings.task_role_arn !== undefined && { taskRoleArn: settings.task_role_arn }),
    runtimePlatform: { cpuArchitecture: 'X86_64', operatingSystemFamily: 'LINUX' },
    containerDefinitions: [
      {
        name: container_name,
        image,
        essential: true,
        command: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
        workingDirectory: '/app',
        user: `${sandbox_user}:${sandbox_user}`,
        environment: Object.entries(variables).map(([variable, value]) => ({ name: variable, value })),
        // The whole ARN, with the random end that the store gave it.
        secrets: [{ name: secrets_variable, valueFrom: secret_arn }],
        linuxParameters: { initProcessEnabled: true, capabilities: { drop: ['ALL'] } },
        stopTimeout: stopGraceSeconds,
        logConfiguration: {
          logDriver: 'awslogs',
          options: {
            'awslogs-group': settings.log_group,
            'awslogs-region': settings.region,
            'awslogs-stream-prefix': name,
          },
        },
      },
    ],
    tags: tags(described, planning),
  };
}

export function service(
  { name, fence, scaler, ...described }: Pick<Described, 'name' | 'fence' | 'agent' | 'revision_id' | 'scaler'>,
  planning: Planning,
  { task_definition, digest }: { task_definition: string; digest: string },
): CreateServiceCommandInput {
  const { cluster, subnets, security_groups } = planning.settings;
  return {
    cluster,
    serviceName: name,
    clientToken: token(['service', name, fence], planning),
    taskDefinition: task_definition,
    desiredCount: 0,
    launchType: 'FARGATE',
    schedulingStrategy: 'REPLICA',
    networkConfiguration: {
      // Nobody calls a replica.
      awsvpcConfiguration: {
        subnets: [...subnets],
        securityGroups: [...security_groups],
        assignPublicIp: 'DISABLED',
      },
    },
    deploymentConfiguration: {
      maximumPercent: 200,
      minimumHealthyPercent: 100,
      // Without a rollback: the service knows the revision before, and decides about it.
      deploymentCircuitBreaker: { enable: true, rollback: false },
    },
    enableExecuteCommand: false,
    propagateTags: 'SERVICE',
    tags: [
      ...tags(described, planning),
      ...descriptionTags({ fence, digest }),
      ...(scaler === undefined ? [] : [{ key: scaler_tag, value: ruleAsTag(scaler) }]),
    ],
  };
}

/** The description that a service has. Another one with the same digest changes nothing, and an older one is refused. */
export const descriptionTags = ({ fence, digest }: { fence: number; digest: string }): Tag[] => [
  { key: label.fence, value: String(fence) },
  { key: digest_tag, value: digest },
];
export const digest_tag = 'gantry.description';
/** What ended before is no answer to the last wish. */
export const scaled_tag = 'gantry.scaled';

export const scaledTag = (resourceArn: string, at: string): TagResourceCommandInput => ({
  resourceArn,
  tags: [{ key: scaled_tag, value: at }],
});

/** `restarts`: a deployment that ECS has given up starts nothing more. */
export function scaling(
  name: string,
  { settings }: Planning,
  { replicas, restarts }: { replicas: number; restarts: boolean },
): UpdateServiceCommandInput {
  return {
    cluster: settings.cluster,
    service: name,
    desiredCount: replicas,
    ...(restarts && { forceNewDeployment: true }),
  };
}

/** Of all that a repeated description could change. */
export const digestOf = (task_definition: RegisterTaskDefinitionCommandInput): string => hash([task_definition], 64);

const installationTag = ({ installation_id }: Pick<Planning, 'installation_id'>) => ({
  Key: label.installation,
  Value: installation_id,
});

const tags = (
  { agent, revision_id }: Pick<Described, 'agent' | 'revision_id'>,
  { installation_id }: Planning,
): Tag[] => [
  { key: label.installation, value: installation_id },
  { key: label.agent, value: agent },
  { key: label.revision, value: revision_id },
];

/** The same for the same attempt. ECS takes 36 characters, and the store of secrets needs 32. */
const token = (parts: readonly (string | number)[], { installation_id }: Planning) =>
  hash([installation_id, ...parts], 32);

const hash = (value: readonly unknown[], length: number) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, length);
