import { setTimeout as sleep } from 'node:timers/promises';
import { unlessNamed } from './clients.ts';
import type { Ecs } from './ecs-platform.ts';
import type { Made } from './made.ts';
import { findService } from './observe.ts';
import { container_name, scaling, secretName } from './requests.ts';
import { scaledBy } from './scaler.ts';
import { stopGraceSeconds } from '../stop-grace.ts';
import { tasksOf } from './tasks.ts';

/**
 * The service is the last, also in the ledger: while it is there, an interrupted removal is found and repeated. The log group and the repository
 * belong to the target, and stay.
 */
export async function removeRevision(ecs: Ecs, name: string, signal?: AbortSignal): Promise<void> {
  const { clients, settings } = ecs;
  const { cluster } = settings;
  const service = await findService(ecs, name, signal);
  await removeScaler(ecs, name, signal);
  if (service !== undefined) {
    const ending = scaling(name, ecs, { replicas: 0, restarts: false });
    await unlessNamed(gone, clients.ecs.updateService(ending, { abortSignal: signal }));
    await untilEnded(ecs, name, signal);
  }
  await removeSecret(ecs, name, signal);
  await removeTaskDefinitions(ecs, name, signal);
  await removeLogs(ecs, name, signal);
  if (service !== undefined)
    await unlessNamed(
      gone,
      clients.ecs.deleteService({ cluster, service: name, force: true }, { abortSignal: signal }),
    );
  await removed(ecs, { kind: 'service', name });
}

/** The sweep and a person may remove at once. */
const gone = ['ServiceNotFoundException', 'ServiceNotActiveException'];

const removed = async ({ ledger }: Ecs, made: Made) => await ledger.removed(made);

/** Its alarms end with its policy. A missing one is no error. */
export async function removeScaler(ecs: Ecs, name: string, signal?: AbortSignal): Promise<void> {
  const open = await ecs.ledger.list();
  if (!open.some((one) => one.kind === 'scalable target' && one.name === name)) return;
  const { clients, settings } = ecs;
  const at = scaledBy(name, settings);
  const missing = ['ObjectNotFoundException'];
  const policy = { ...at, PolicyName: name };
  await unlessNamed(missing, clients.scaling.deleteScalingPolicy(policy, { abortSignal: signal }));
  await removed(ecs, { kind: 'scaling policy', name });
  await unlessNamed(missing, clients.scaling.deregisterScalableTarget(at, { abortSignal: signal }));
  await removed(ecs, { kind: 'scalable target', name });
}

/** A task that writes would make its log anew. ECS kills after the grace. */
async function untilEnded(ecs: Ecs, name: string, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + (stopGraceSeconds + 60) * 1000;
  while (
    (await tasksOf(ecs, { name, desiredStatus: 'RUNNING' }, signal)).length > 0 ||
    (await anyStops(ecs, name, signal))
  ) {
    if (performance.now() > deadline) throw new Error(`The tasks of ${name} do not end`);
    await sleep(1000, undefined, { ...(signal && { signal }) });
  }
}

const anyStops = async (ecs: Ecs, name: string, signal?: AbortSignal) =>
  (await tasksOf(ecs, { name, desiredStatus: 'STOPPED' }, signal)).some(({ lastStatus }) => lastStatus !== 'STOPPED');

async function removeSecret(ecs: Ecs, name: string, signal?: AbortSignal): Promise<void> {
  const SecretId = secretName(name, ecs);
  const input = { SecretId, ForceDeleteWithoutRecovery: true };
  await unlessNamed(['ResourceNotFoundException'], ecs.clients.secrets.deleteSecret(input, { abortSignal: signal }));
  await removed(ecs, { kind: 'secret', name: SecretId });
}

/** ECS deletes inactive ones only, ten in a call, and finishes when no task has one. */
async function removeTaskDefinitions(ecs: Ecs, name: string, signal?: AbortSignal): Promise<void> {
  const { clients } = ecs;
  for (const taskDefinition of await taskDefinitions(ecs, { name, status: 'ACTIVE' }, signal))
    await clients.ecs.deregisterTaskDefinition({ taskDefinition }, { abortSignal: signal });
  const inactive = await taskDefinitions(ecs, { name, status: 'INACTIVE' }, signal);
  for (let at = 0; at < inactive.length; at += 10)
    await clients.ecs.deleteTaskDefinitions({ taskDefinitions: inactive.slice(at, at + 10) }, { abortSignal: signal });
  await removed(ecs, { kind: 'task definition', name });
}

async function taskDefinitions(
  { clients }: Ecs,
  { name, status }: { name: string; status: 'ACTIVE' | 'INACTIVE' },
  signal?: AbortSignal,
): Promise<string[]> {
  const found: string[] = [];
  for (let nextToken: string | undefined; ;) {
    const page = await clients.ecs.listTaskDefinitions(
      { familyPrefix: name, status, ...(nextToken !== undefined && { nextToken }) },
      { abortSignal: signal },
    );
    found.push(...(page.taskDefinitionArns ?? []));
    nextToken = page.nextToken;
    if (nextToken === undefined) break;
  }
  // A prefix may find other families too.
  return found.filter((arn) => arn.includes(`:task-definition/${name}:`));
}

async function removeLogs({ clients, settings }: Ecs, name: string, signal?: AbortSignal): Promise<void> {
  const logGroupName = settings.log_group;
  const logStreamNamePrefix = `${name}/${container_name}/`;
  for (;;) {
    const listing = clients.logs.describeLogStreams({ logGroupName, logStreamNamePrefix }, { abortSignal: signal });
    const { logStreams = [] } = (await unlessNamed(['ResourceNotFoundException'], listing)) ?? {};
    if (logStreams.length === 0) return;
    for (const { logStreamName } of logStreams)
      await unlessNamed(
        ['ResourceNotFoundException'],
        clients.logs.deleteLogStream({ logGroupName, logStreamName }, { abortSignal: signal }),
      );
  }
}
