// The methods of the protocol. JSON-RPC names one; each REST path is one.
import { A2aError } from './a2a-error.ts';
import { subscribe, type TaskEvent } from './follow-task.ts';
import type { Asked } from './own-task.ts';
import type { TaskHost } from './task-host.ts';
import { readParams, sendParams, taskParams } from './params.ts';
import { cancelTask, getTask, listTasks } from './tasks.ts';

export type Method = (host: TaskHost, asked: Asked, params: unknown) => Promise<object | AsyncIterable<TaskEvent>>;

// Async, so that it rejects.
const noPush: Method = async () => await Promise.reject(new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED'));

export const methods = {
  SendMessage: async (host, asked, params) => await host.send(asked, readParams(sendParams, params)),
  SendStreamingMessage: async (host, asked, params) => await host.stream(asked, readParams(sendParams, params)),
  GetTask: async (host, asked, params) => await getTask(host, asked, readParams(taskParams, params).id),
  ListTasks: listTasks,
  CancelTask: async (host, asked, params) => await cancelTask(host, asked, readParams(taskParams, params).id),
  SubscribeToTask: async (host, asked, params) => await subscribe(host, asked, readParams(taskParams, params).id),
  CreateTaskPushNotificationConfig: noPush,
  GetTaskPushNotificationConfig: noPush,
  ListTaskPushNotificationConfigs: noPush,
  DeleteTaskPushNotificationConfig: noPush,
  GetExtendedAgentCard: async () => await Promise.reject(new A2aError('EXTENDED_AGENT_CARD_NOT_CONFIGURED')),
} as const satisfies Record<string, Method>;
export type MethodName = keyof typeof methods;

export function isStream(result: object): result is AsyncIterable<TaskEvent> {
  return Symbol.asyncIterator in result;
}
