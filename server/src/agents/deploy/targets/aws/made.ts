// Every call that makes something in the account, and no other file has one. Each is recorded before it is made, so a crash leaves nothing unknown.
import type { RegisterTaskDefinitionCommandInput } from '@aws-sdk/client-ecs';
import { label } from '../../../../assets/docker/labels.ts';
import { unlessNamed, type AwsClients } from './clients.ts';
import type { Plan } from './plan.ts';

export interface Made {
  kind: 'log group' | 'repository' | 'secret' | 'task definition' | 'service';
  name: string;
}

/** Ends when the record is stored. When it fails, nothing is made. */
export type RecordMade = (made: Made) => Promise<void>;

interface Making {
  clients: AwsClients;
  record: RecordMade;
  installation_id: string;
  signal: AbortSignal;
}

export async function makeLogGroup({ clients, record, signal }: Making, input: Plan['log_group']): Promise<void> {
  await record({ kind: 'log group', name: input.logGroupName ?? '' });
  const making = clients.logs.createLogGroup(input, { abortSignal: signal });
  await unlessNamed(['ResourceAlreadyExistsException'], making);
}

export async function makeRepository({ clients, record, signal }: Making, input: Plan['repository']): Promise<void> {
  await record({ kind: 'repository', name: input.repositoryName ?? '' });
  const making = clients.ecr.createRepository(input, { abortSignal: signal });
  await unlessNamed(['RepositoryAlreadyExistsException'], making);
}

/** Returns its ARN. The secret of an earlier attempt is taken over. */
export async function makeSecret(making: Making, input: Plan['secret']): Promise<string> {
  const { clients, record, signal } = making;
  const name = input.Name ?? '';
  await record({ kind: 'secret', name });
  const made = clients.secrets.createSecret(input, { abortSignal: signal });
  const arn = (await unlessNamed(['ResourceExistsException'], made))?.ARN ?? (await ownSecret(making, name));
  if (arn === undefined) throw new Error(`AWS gave no ARN for the secret ${name}`);
  return arn;
}

async function ownSecret({ clients, installation_id, signal }: Making, name: string): Promise<string | undefined> {
  const { ARN, Tags = [] } = await clients.secrets.describeSecret({ SecretId: name }, { abortSignal: signal });
  if (!Tags.some(({ Key, Value }) => Key === label.installation && Value === installation_id))
    throw new Error(`The secret ${name} does not belong to this installation`);
  return ARN;
}

/** Returns its ARN. */
export async function makeTaskDefinition(
  { clients, record, signal }: Making,
  input: RegisterTaskDefinitionCommandInput,
): Promise<string> {
  await record({ kind: 'task definition', name: input.family ?? '' });
  const { taskDefinition } = await clients.ecs.registerTaskDefinition(input, { abortSignal: signal });
  if (taskDefinition?.taskDefinitionArn === undefined)
    throw new Error(`AWS gave no ARN for the task definition ${input.family}`);
  return taskDefinition.taskDefinitionArn;
}

export async function makeService({ clients, record, signal }: Making, input: Plan['service']): Promise<void> {
  await record({ kind: 'service', name: input.serviceName ?? '' });
  await clients.ecs.createService(input, { abortSignal: signal });
}
