// What the pods of a revision say about its replicas.
import type { V1ContainerStateTerminated, V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { ReplicaSet } from '../replicas/platform.ts';
import { gate_name, gate_open } from './limits.ts';
import { scaled_at } from './objects.ts';

const cannot_start = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);
const out_of_memory = 'OOMKilled';

type Seen = Pick<ReplicaSet, 'last_exit' | 'obstacle' | 'not_limited'>;

export function stateOf(deployment: V1Deployment, pods: readonly V1Pod[]): Seen {
  const since = Date.parse(deployment.metadata?.annotations?.[scaled_at] ?? '');
  const ends = pods.flatMap((pod) => endOf(pod) ?? []).filter((end) => !isBefore(end, since));
  const last = ends.toSorted((one, other) => timeOf(other) - timeOf(one))[0];
  const gate = pods.map(gateOf).find((one) => one !== undefined);
  const obstacle = refusalOf(deployment) ?? gate?.message ?? pods.map(obstacleOf).find((one) => one !== undefined);
  return {
    ...(gate?.exitCode === gate_open && { not_limited: true }),
    ...(last !== undefined && {
      last_exit: { exit_code: last.exitCode, out_of_memory: last.reason === out_of_memory },
    }),
    ...(obstacle !== undefined && { obstacle }),
  };
}

/** Of a container that does not run now. */
function endOf({ metadata, status }: V1Pod): V1ContainerStateTerminated | undefined {
  const container = status?.containerStatuses?.[0];
  if (container === undefined || metadata?.deletionTimestamp !== undefined || container.state?.running !== undefined)
    return undefined;
  return container.state?.terminated ?? container.lastState?.terminated;
}

const timeOf = ({ finishedAt }: V1ContainerStateTerminated) => finishedAt?.getTime() ?? 0;
// The cluster says whole seconds.
const isBefore = (end: V1ContainerStateTerminated, since: number) => timeOf(end) < Math.floor(since / 1000) * 1000;

/** The end of the container that tries the limits, when it has not ended well. */
function gateOf({ metadata, status }: V1Pod): { exitCode: number; message: string } | undefined {
  const gate = status?.initContainerStatuses?.find(({ name }) => name === gate_name);
  if (gate === undefined || metadata?.deletionTimestamp !== undefined) return undefined;
  const ended = gate.state?.terminated ?? gate.lastState?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  return { exitCode: ended.exitCode, message: sentence(ended.reason, ended.message?.trim()) };
}

/** Such as a quota, or a policy that lets only other images in. */
function refusalOf({ status }: V1Deployment): string | undefined {
  const failing = status?.conditions?.find(({ type, status: holds }) => type === 'ReplicaFailure' && holds === 'True');
  return failing === undefined ? undefined : sentence(failing.reason, failing.message);
}

function obstacleOf({ status }: V1Pod): string | undefined {
  const unscheduled = status?.conditions?.find(
    ({ type, status: holds }) => type === 'PodScheduled' && holds === 'False',
  );
  if (unscheduled !== undefined) return sentence(unscheduled.reason, unscheduled.message);
  const [container] = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].filter(
    ({ state }) => state?.waiting !== undefined && cannot_start.has(state.waiting.reason ?? ''),
  );
  const waiting = container?.state?.waiting;
  return waiting?.reason !== undefined && cannot_start.has(waiting.reason)
    ? sentence(waiting.reason, waiting.message)
    : undefined;
}

const sentence = (reason = 'without a reason', message = '') =>
  `${reason}${message === '' ? '' : `: ${message}`}`.slice(0, 1000);
