import type { ApplicationAutoScaling } from '@aws-sdk/client-application-auto-scaling';
import type { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import type { ECR } from '@aws-sdk/client-ecr';
import type { ECS } from '@aws-sdk/client-ecs';
import type { SecretsManager } from '@aws-sdk/client-secrets-manager';

import { problemOf } from './answers.ts';

export interface AwsClients {
  ecs: ECS;
  ecr: ECR;
  secrets: SecretsManager;
  logs: CloudWatchLogs;
  scaling: ApplicationAutoScaling;
}

export interface AwsAccess {
  region: string;
  /** Undefined: those that the machine of the service has, such as the role of its instance. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** For emulators in tests. That of `scaling` is another one. */
  endpoint?: string;
  scaling_endpoint?: string;
}

/** Loads the clients, which only such a target needs. Without I/O beside that. */
export async function openClients({ scaling_endpoint, ...access }: AwsAccess): Promise<AwsClients> {
  const [ecs, ecr, secrets, logs, scaling] = await Promise.all([
    import('@aws-sdk/client-ecs'),
    import('@aws-sdk/client-ecr'),
    import('@aws-sdk/client-secrets-manager'),
    import('@aws-sdk/client-cloudwatch-logs'),
    import('@aws-sdk/client-application-auto-scaling'),
  ]);
  const config = { ...access, requestHandler: { requestTimeout: 30_000, connectionTimeout: 5000 } };
  const clients = {
    ecs: new ecs.ECS(config),
    ecr: new ecr.ECR(config),
    secrets: new secrets.SecretsManager(config),
    logs: new logs.CloudWatchLogs(config),
    scaling: new scaling.ApplicationAutoScaling({
      ...config,
      ...(scaling_endpoint !== undefined && { endpoint: scaling_endpoint }),
    }),
  };
  for (const { middlewareStack } of stacksOf(clients))
    middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          try {
            return await next(args);
          } catch (error) {
            throw error instanceof Error ? problemOf(error, String(commandName).replace(/Command$/, '')) : error;
          }
        },
      { step: 'initialize', priority: 'high', name: 'problems' }, // after the last try
    );
  return clients;
}

/** All have the same stack. Its type names the client's own inputs. */
export const stacksOf = (clients: AwsClients): Pick<AwsClients['ecs'], 'middlewareStack'>[] =>
  Object.values(clients) as Pick<AwsClients['ecs'], 'middlewareStack'>[];

/** The answer of a missing thing is undefined. AWS names refusals. */
export async function unlessNamed<T>(names: readonly string[], answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && names.includes(error.name)) return undefined;
    throw error;
  }
}
