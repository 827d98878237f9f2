import { stacksOf, type AwsClients } from '../../agents/deploy/targets/aws/clients.ts';
import type { AwsRequest } from './aws-models.ts';

/** The names of the clients in botocore and in policies. */
export const services: Readonly<Record<string, string>> = {
  ECS: 'ecs',
  ECR: 'ecr',
  SecretsManager: 'secretsmanager',
  CloudWatchLogs: 'logs',
  ApplicationAutoScaling: 'application-autoscaling',
};

/** Every request that these clients send from now on, as they send it. */
export function recordRequests(clients: AwsClients, sent: AwsRequest[] = []): AwsRequest[] {
  for (const { middlewareStack } of stacksOf(clients)) {
    middlewareStack.add(
      (next, context) => async (args) => {
        const operation = String(context.commandName).replace(/Command$/, '');
        const service = services[String(context.clientName).replace(/Client$/, '')];
        if (service === undefined) throw new Error(`an unknown client ${context.clientName}`);
        sent.push({ service, operation, input: structuredClone(args.input) });
        return await next(args);
      },
      { step: 'build', name: 'recordRequests' },
    );
  }
  return sent;
}
