// The least that the service needs in an account, from one list. A test compares the list with what the clients send (docs/decisions/0173).
import { repositoryName, type EcsSettings } from './settings.ts';

interface Permission {
  actions: readonly string[];
  /** In the order of the statement. */
  on: (place: Place) => readonly string[];
}

interface Place {
  settings: EcsSettings;
  installation_id: string;
  /** `arn:aws:<service>:<region>:<account>` */
  arn: (service: string) => string;
}

const permissions: readonly Permission[] = [
  {
    // ECS knows no resource of these: a task definition has no ARN before it is made, and a list has none.
    actions: [
      'ecs:RegisterTaskDefinition',
      'ecs:DeregisterTaskDefinition',
      'ecs:ListTaskDefinitions',
      'ecs:DescribeTaskDefinition',
      'ecr:GetAuthorizationToken',
    ],
    on: () => ['*'],
  },
  {
    actions: [
      'ecs:CreateService',
      'ecs:UpdateService',
      'ecs:DeleteService',
      'ecs:DescribeServices',
      'ecs:ListServices',
      'ecs:TagResource',
      'ecs:ListTasks',
      'ecs:DescribeTasks',
      'ecs:StopTask',
      'ecs:DeleteTaskDefinitions',
    ],
    on: ({ arn, settings: { cluster } }) => [
      `${arn('ecs')}:cluster/${cluster}`,
      `${arn('ecs')}:service/${cluster}/*`,
      `${arn('ecs')}:task/${cluster}/*`,
      `${arn('ecs')}:container-instance/${cluster}/*`,
      `${arn('ecs')}:task-definition/*`,
    ],
  },
  {
    actions: [
      'secretsmanager:CreateSecret',
      'secretsmanager:DescribeSecret',
      'secretsmanager:PutSecretValue',
      'secretsmanager:GetSecretValue',
      'secretsmanager:DeleteSecret',
    ],
    on: ({ arn, installation_id }) => [`${arn('secretsmanager')}:secret:gantry/${installation_id}/*`],
  },
  {
    actions: ['logs:CreateLogGroup', 'logs:DescribeLogStreams', 'logs:GetLogEvents', 'logs:DeleteLogStream'],
    on: ({ arn, settings: { log_group } }) => [
      `${arn('logs')}:log-group:${log_group}`,
      `${arn('logs')}:log-group:${log_group}:*`,
    ],
  },
  {
    actions: [
      'application-autoscaling:RegisterScalableTarget',
      'application-autoscaling:PutScalingPolicy',
      'application-autoscaling:DeleteScalingPolicy',
      'application-autoscaling:DeregisterScalableTarget',
    ],
    on: ({ arn }) => [`${arn('application-autoscaling')}:scalable-target/*`],
  },
  {
    actions: ['ecr:CreateRepository'],
    on: ({ arn, settings }) => [`${arn('ecr')}:repository/${repositoryName(settings)}`],
  },
];

/** What the SDK sends. Creating with tags needs the action for tags too, where the service has another one. */
export const sent_actions: readonly string[] = permissions.flatMap(({ actions }) => actions);

/**
 * No call of the SDK has these names. ECR asks for them when an image is pushed by the protocol of registries, others ask at a creation, and a policy of
 * Application Auto Scaling makes alarms for the caller.
 */
const implied: readonly Permission[] = [
  {
    actions: [
      'ecr:BatchCheckLayerAvailability',
      'ecr:BatchGetImage',
      'ecr:GetDownloadUrlForLayer',
      'ecr:InitiateLayerUpload',
      'ecr:UploadLayerPart',
      'ecr:CompleteLayerUpload',
      'ecr:PutImage',
      'ecr:TagResource',
    ],
    on: ({ arn, settings }) => [`${arn('ecr')}:repository/${repositoryName(settings)}`],
  },
  {
    actions: ['cloudwatch:PutMetricAlarm', 'cloudwatch:DescribeAlarms', 'cloudwatch:DeleteAlarms'],
    on: ({ arn, settings: { cluster } }) => [`${arn('cloudwatch')}:alarm:TargetTracking-service/${cluster}/*`],
  },
  {
    actions: ['secretsmanager:TagResource'],
    on: ({ arn, installation_id }) => [`${arn('secretsmanager')}:secret:gantry/${installation_id}/*`],
  },
  {
    actions: ['logs:TagResource'],
    on: ({ arn, settings: { log_group } }) => [
      `${arn('logs')}:log-group:${log_group}`,
      `${arn('logs')}:log-group:${log_group}:*`,
    ],
  },
];

const scaling_service = 'ecs.application-autoscaling.amazonaws.com';

/** The policy as JSON of IAM. */
export function policyOf({ settings, installation_id }: Omit<Place, 'arn'>) {
  const [, partition, , , account] = settings.execution_role_arn.split(':');
  const arn = (service: string) => `arn:${partition}:${service}:${settings.region}:${account}`;
  const place = { settings, installation_id, arn };
  const roles = [settings.execution_role_arn, settings.task_role_arn].filter((role) => role !== undefined);
  return {
    Version: '2012-10-17',
    Statement: [
      ...[...permissions, ...implied].map(({ actions, on }) => ({
        Effect: 'Allow',
        Action: [...actions],
        Resource: [...on(place)],
      })),
      {
        // Once in an account, for the first agent that Application Auto Scaling scales.
        Effect: 'Allow',
        Action: ['iam:CreateServiceLinkedRole'],
        Resource: [
          `arn:${partition}:iam::${account}:role/aws-service-role/${scaling_service}/AWSServiceRoleForApplicationAutoScaling_ECSService`,
        ],
        Condition: { StringLike: { 'iam:AWSServiceName': scaling_service } },
      },
      {
        Effect: 'Allow',
        Action: ['iam:PassRole'],
        Resource: roles,
        Condition: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      },
    ],
  };
}
