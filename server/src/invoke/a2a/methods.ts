// The methods of the protocol. JSON-RPC names one; each REST path is one.
import type { Ingress } from '../ingress.ts';
import { A2aError } from './a2a-error.ts';
import { subscribe, type TaskEvent } from './follow-task.ts';
import type { Asked } from './own-task.ts';
import { readParams, sendParams, taskParams } from './params.ts';
import { sendMessage, streamMessage } from './send-message.ts';
import { cancelTask, getTask, listTasks } from './tasks.ts';

export type Method = (ingress: Ingress, asked: Asked, params: unknown) => Promise<object | AsyncIterable<TaskEvent>>;

// Async, so that it rejects.
const noPush: Method = async () => await Promise.reject(new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED'));

export const methods = {
  SendMessage: async (ingress, asked, params) => await sendMessage(ingress, asked, readParams(sendParams, params)),
  SendStreamingMessage: async (ingress, asked, params) =>
    await streamMessage(ingress, asked, readParams(sendParams, params)),
  GetTask: async (ingress, asked, params) => await getTask(ingress, asked, readParams(taskParams, params).id),
  ListTasks: listTasks,
  CancelTask: async (ingress, asked, params) => await cancelTask(ingress, asked, readParams(taskParams, params).id),
  SubscribeToTask: async (ingress, asked, params) => await subscribe(ingress, asked, readParams(taskParams, params).id),
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
