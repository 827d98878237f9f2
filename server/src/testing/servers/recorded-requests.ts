import type { AwsClients } from '../../agents/deploy/targets/aws/clients.ts';
import type { AwsRequest } from './aws-models.ts';

/** The names of the clients in botocore and in policies. */
const services: Readonly<Record<string, string>> = {
  ECS: 'ecs',
  ECR: 'ecr',
  SecretsManager: 'secretsmanager',
  CloudWatchLogs: 'logs',
};

/** Every request that these clients send from now on, as they send it. */
export function recordRequests(clients: AwsClients): AwsRequest[] {
  const sent: AwsRequest[] = [];
  // All have the same stack. Its type names the client's own inputs.
  const stacks = [clients.ecs, clients.ecr, clients.secrets, clients.logs] as Pick<
    AwsClients['ecs'],
    'middlewareStack'
  >[];
  for (const { middlewareStack } of stacks) {
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
