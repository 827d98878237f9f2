// Every call that makes something in the account, and no other file has one. Each is recorded before it is made, so a crash leaves nothing unknown.
import type {
  PutScalingPolicyCommandInput,
  RegisterScalableTargetCommandInput,
} from '@aws-sdk/client-application-auto-scaling';
import type { RegisterTaskDefinitionCommandInput } from '@aws-sdk/client-ecs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import { label } from '../../../../assets/docker/labels.ts';
import type { Ledger, OutsideResource } from '../outside.ts';
import { unlessNamed, type AwsClients } from './clients.ts';
import type { Plan } from './plan.ts';

export interface Made extends OutsideResource {
  kind: 'log group' | 'repository' | 'secret' | 'task definition' | 'service' | 'scalable target' | 'scaling policy';
}

interface Making {
  clients: AwsClients;
  ledger: Ledger;
  installation_id: string;
  signal: AbortSignal;
}

/** For a resource of one revision. The others belong to the target. */
interface MakingOf extends Making {
  of: { agent: string; revision_id: string };
}

const record = async ({ ledger }: Making, made: Made) => await ledger.record(made);
const recordOf = async ({ ledger, of }: MakingOf, made: Made, described?: Readonly<Record<string, unknown>>) =>
  await ledger.record(made, of, described);

export async function makeLogGroup(making: Making, input: Plan['log_group']): Promise<void> {
  const { clients, signal } = making;
  await record(making, { kind: 'log group', name: input.logGroupName ?? '' });
  const made = clients.logs.createLogGroup(input, { abortSignal: signal });
  await unlessNamed(['ResourceAlreadyExistsException'], made);
}

export async function makeRepository(making: Making, input: Plan['repository']): Promise<void> {
  const { clients, signal } = making;
  await record(making, { kind: 'repository', name: input.repositoryName ?? '' });
  const made = clients.ecr.createRepository(input, { abortSignal: signal });
  await unlessNamed(['RepositoryAlreadyExistsException'], made);
}

/** Returns its ARN. The secret of an earlier attempt is taken over. */
export async function makeSecret(making: MakingOf, input: Plan['secret']): Promise<string> {
  const { clients, signal } = making;
  const name = input.Name ?? '';
  await recordOf(making, { kind: 'secret', name });
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
export async function makeTaskDefinition(making: MakingOf, input: RegisterTaskDefinitionCommandInput): Promise<string> {
  const { clients, signal } = making;
  await recordOf(making, { kind: 'task definition', name: input.family ?? '' });
  const { taskDefinition } = await clients.ecs.registerTaskDefinition(input, { abortSignal: signal });
  if (taskDefinition?.taskDefinitionArn === undefined)
    throw new Error(`AWS gave no ARN for the task definition ${input.family}`);
  return taskDefinition.taskDefinitionArn;
}

/** `task_definition` is what its tasks are made of. Without it, drift has nothing to compare. */
export async function makeService(
  making: MakingOf,
  service: Plan['service'],
  task_definition?: RegisterTaskDefinitionCommandInput,
): Promise<void> {
  const { clients, signal } = making;
  if (task_definition === undefined) await recordOf(making, { kind: 'service', name: service.serviceName ?? '' });
  else await recordDescribed(making, service, task_definition);
  await clients.ecs.createService(service, { abortSignal: signal });
}

/** Before the service is made or changed. */
export async function recordDescribed(
  making: MakingOf,
  { serviceName = '', launchType, networkConfiguration, enableExecuteCommand }: Plan['service'],
  task_definition: RegisterTaskDefinitionCommandInput,
): Promise<void> {
  const service = { launchType, networkConfiguration, enableExecuteCommand };
  const described: RecordedService = { service, task_definition };
  await recordOf(making, { kind: 'service', name: serviceName }, { ...described });
}

/** What drift is measured against. */
export interface RecordedService {
  service: Pick<Plan['service'], 'launchType' | 'networkConfiguration' | 'enableExecuteCommand'>;
  task_definition: RegisterTaskDefinitionCommandInput;
}

/** Application Auto Scaling finds a new service after a moment. */
const most_tries = 10;

/** A repeated one changes nothing. Its policy makes alarms of CloudWatch, which end with it. */
export async function makeScaler(
  making: MakingOf,
  {
    name,
    target,
    policy,
  }: { name: string; target: RegisterScalableTargetCommandInput; policy: PutScalingPolicyCommandInput },
): Promise<void> {
  const { clients, signal } = making;
  await recordOf(making, { kind: 'scalable target', name });
  await recordOf(making, { kind: 'scaling policy', name });
  for (let tries = 1; ; tries++)
    try {
      await clients.scaling.registerScalableTarget(target, { abortSignal: signal });
      break;
    } catch (error) {
      if (tries >= most_tries || !isNotFoundYet(error)) throw error;
      await sleep(1000, undefined, { signal });
    }
  await clients.scaling.putScalingPolicy(policy, { abortSignal: signal });
}

const isNotFoundYet = (error: unknown) =>
  error instanceof Problem && error.code === 'start_failed' && /service doesn't exist/i.test(error.detail);
