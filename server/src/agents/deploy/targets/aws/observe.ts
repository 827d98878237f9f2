import type { Service, Task } from '@aws-sdk/client-ecs';
import { label } from '../../../../assets/docker/labels.ts';
import type { ReplicaSet } from '../replicas/platform.ts';
import type { Ecs } from './ecs-platform.ts';
import { scaled_tag } from './requests.ts';
import { tasksOf } from './tasks.ts';

/** ECS describes ten services in one call. */
const at_once = 10;

/** Undefined for a missing one, and one that is ending. Throws for one of somebody else. */
export async function findService(ecs: Ecs, name: string, signal?: AbortSignal): Promise<Service | undefined> {
  const [service] = await described(ecs, [name], signal);
  if (service?.status !== 'ACTIVE') return undefined;
  if (!isOwn(ecs, service)) throw new Error(`The service ${name} of ECS does not belong to this installation`);
  return service;
}

/** All of this installation. */
export async function ownServices(ecs: Ecs, signal?: AbortSignal): Promise<Service[]> {
  const { clients, settings } = ecs;
  const found: Service[] = [];
  for (let nextToken: string | undefined; ;) {
    const page = await clients.ecs.listServices(
      { cluster: settings.cluster, maxResults: at_once, ...(nextToken !== undefined && { nextToken }) },
      { abortSignal: signal },
    );
    for (let at = 0; at < (page.serviceArns?.length ?? 0); at += at_once)
      found.push(...(await described(ecs, page.serviceArns?.slice(at, at + at_once) ?? [], signal)));
    nextToken = page.nextToken;
    if (nextToken === undefined) break;
  }
  return found.filter((service) => service.status === 'ACTIVE' && isOwn(ecs, service));
}

async function described({ clients, settings }: Ecs, services: string[], signal?: AbortSignal): Promise<Service[]> {
  const input = { cluster: settings.cluster, services, include: ['TAGS' as const] };
  return (await clients.ecs.describeServices(input, { abortSignal: signal })).services ?? [];
}

const isOwn = ({ installation_id }: Ecs, service: Service) => tagOf(service, label.installation) === installation_id;

export const tagOf = ({ tags = [] }: Service, name: string): string | undefined =>
  tags.find(({ key }) => key === name)?.value;

/** A start asks how its task ended, and ECS may run the next one already. Later, only a task without a successor is looked for. */
const starting_ms = 600_000;

export async function replicaSet(ecs: Ecs, service: Service, signal?: AbortSignal): Promise<ReplicaSet> {
  const { serviceName: name = '', desiredCount: replicas = 0, runningCount = 0 } = service;
  const set = { name, revision_id: tagOf(service, label.revision) ?? '', replicas };
  const since = Number(tagOf(service, scaled_tag) ?? 0);
  if (runningCount >= replicas && Date.now() - since > starting_ms) return set;
  const stopped = await tasksOf(ecs, { name, desiredStatus: 'STOPPED' }, signal);
  const ended = stopped
    .filter(({ stoppingAt, stopCode }) => isByItself(stopCode) && (stoppingAt?.getTime() ?? 0) > since)
    .toSorted((one, other) => Number(other.stoppingAt) - Number(one.stoppingAt));
  return ended[0] === undefined ? set : { ...set, last_exit: exitOf(ended[0]) };
}

/** The scheduler ends tasks when it scales and updates, and the service those that leave. */
const isByItself = (stopCode: Task['stopCode']) =>
  stopCode === 'EssentialContainerExited' || stopCode === 'TaskFailedToStart';

/** A task that never started has no code. ECS names a lack of memory in words only. */
function exitOf({ containers = [], stoppedReason = '' }: Task): NonNullable<ReplicaSet['last_exit']> {
  const { exitCode: exit_code = -1, reason = '' } = containers[0] ?? {};
  return { exit_code, out_of_memory: /OutOfMemory/i.test(`${reason} ${stoppedReason}`) };
}
