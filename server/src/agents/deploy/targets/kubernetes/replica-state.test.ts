import type { V1ContainerStatus, V1Deployment, V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { gate_name, gate_open } from './limits.ts';
import { scaled_at } from './objects.ts';
import { stateOf } from './replica-state.ts';

const scaled: V1Deployment = { metadata: { annotations: { [scaled_at]: '2026-01-01T12:00:00.700Z' } } };
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second));
const ended = (exitCode: number, second: number, reason = 'Error') => ({
  terminated: { exitCode, reason, finishedAt: at(second) },
});
const pod = (state: V1ContainerStatus['state'], lastState: V1ContainerStatus['lastState'] = {}): V1Pod => ({
  status: {
    containerStatuses: [
      { name: 'agent', image: '', imageID: '', ready: false, restartCount: 1, ...(state && { state }), lastState },
    ],
  },
});
const waits = (reason: string, message?: string) => ({ waiting: { reason, ...(message && { message }) } });

test('the last end of a container that does not run again is the end of a replica', () => {
  const pods = [pod(ended(1, 5)), pod(waits('CrashLoopBackOff'), ended(137, 9, 'OOMKilled'))];
  expect(stateOf(scaled, pods)).toEqual({ last_exit: { exit_code: 137, out_of_memory: true } });
});

test('a container that runs again, a pod that is being removed, and an end before the last scale say nothing', () => {
  const leaving = pod(ended(0, 5));
  leaving.metadata = { deletionTimestamp: at(6) };
  expect(stateOf(scaled, [pod({ running: {} }, ended(1, 5)), leaving, pod(ended(1, -1))])).toEqual({});
});

test('an end in the very second of the scale counts', () => {
  expect(stateOf(scaled, [pod(ended(3, 0))])).toEqual({ last_exit: { exit_code: 3, out_of_memory: false } });
});

test('an image that cannot be pulled, a pod without a node, and a refused pod are obstacles in the words of the cluster', () => {
  expect(stateOf(scaled, [pod(waits('ImagePullBackOff', 'not found'))])).toEqual({
    obstacle: 'ImagePullBackOff: not found',
  });
  const unscheduled: V1Pod = {
    status: {
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'Insufficient memory.' }],
    },
  };
  expect(stateOf(scaled, [unscheduled])).toEqual({ obstacle: 'Unschedulable: Insufficient memory.' });
  const refused: V1Deployment = {
    status: { conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'over quota' }] },
  };
  expect(stateOf(refused, [])).toEqual({ obstacle: 'FailedCreate: over quota' });
  expect(stateOf(scaled, [pod(waits('ContainerCreating'))])).toEqual({});
});

test('a pod whose limits have no effect says so, and one that does not reach the door is only an obstacle', () => {
  const gated = (exitCode: number, message: string): V1Pod => ({
    status: {
      initContainerStatuses: [
        {
          name: gate_name, image: '', imageID: '', ready: false, restartCount: 1, state: waits('CrashLoopBackOff'),
          lastState: { terminated: { exitCode, message, reason: 'Error' } },
        },
      ],
      containerStatuses: [
        { name: 'agent', image: '', imageID: '', ready: false, restartCount: 0, state: waits('PodInitializing') },
      ],
    },
  }); // prettier-ignore
  expect(stateOf(scaled, [gated(gate_open, 'it is open\n')])).toEqual({
    not_limited: true,
    obstacle: 'Error: it is open',
  });
  expect(stateOf(scaled, [gated(1, 'no door')])).toEqual({ obstacle: 'Error: no door' });
  expect(stateOf(scaled, [gated(0, '')])).toEqual({});
});
