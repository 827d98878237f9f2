// Version 0.3 of the protocol, as a translation: of its requests to those of 1.0, and of the results back. It has JSON-RPC only.
import { isJson } from '../../../models/gateway/wires/wire.ts';
import type { TaskEvent } from './follow-task.ts';
import type { Speech } from './json-rpc.ts';
import type { MethodName } from './methods.ts';
import type { Artifact, Message, Part, Status, Task } from './print-task.ts';

const methods: Readonly<Record<string, MethodName>> = {
  'message/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/cancel': 'CancelTask',
  'tasks/pushNotificationConfig/set': 'CreateTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/get': 'GetTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/list': 'ListTaskPushNotificationConfigs',
  'tasks/pushNotificationConfig/delete': 'DeleteTaskPushNotificationConfig',
};

export const version03: Speech = {
  methodOf: (name) => (Object.hasOwn(methods, name) ? methods[name] : undefined),
  read: readParams,
  print: (result) => printResult(result as { task: Task } | TaskEvent | Task), // what the methods above answer
  unknown: 'A2A 0.3 has no such method here. For a method of 1.0, send the header A2A-Version: 1.0.',
};

// Whatever has another form passes unchanged, and is refused as in 1.0.
function readParams(params: unknown): unknown {
  if (!isJson(params)) return params;
  const { message, configuration } = params;
  return {
    ...params,
    ...(isJson(message) && { message: readMessage(message) }),
    ...(isJson(configuration) && { configuration: readConfiguration(configuration) }),
  };
}

function readMessage({ role, parts, ...message }: Record<string, unknown>): object {
  return {
    ...message,
    role: role === 'user' ? 'ROLE_USER' : role,
    parts: Array.isArray(parts) ? parts.map(readPart) : parts,
  };
}

function readPart(part: unknown): unknown {
  if (!isJson(part)) return part;
  const { kind } = part;
  if (kind === 'text') return { text: part['text'] };
  if (kind === 'data') return { data: part['data'] };
  const { bytes, uri, mimeType: mediaType, name: filename } = isJson(part['file']) ? part['file'] : {};
  return { ...(uri === undefined ? { raw: bytes ?? null } : { raw: bytes, url: uri }), mediaType, filename };
}

function readConfiguration({ blocking, pushNotificationConfig }: Record<string, unknown>): object {
  return {
    returnImmediately: blocking === false,
    ...(pushNotificationConfig !== undefined &&
      pushNotificationConfig !== null && { taskPushNotificationConfig: pushNotificationConfig }),
  };
}

function printResult(result: { task: Task } | TaskEvent | Task): object {
  if ('task' in result) return printTask(result.task);
  if ('statusUpdate' in result) {
    const { status, ...of } = result.statusUpdate;
    return { kind: 'status-update', ...of, status: printStatus(status), final: status.state !== 'TASK_STATE_WORKING' };
  }
  if ('artifactUpdate' in result) {
    const { artifact, ...of } = result.artifactUpdate;
    return { kind: 'artifact-update', ...of, artifact: printArtifact(artifact) };
  }
  return printTask(result);
}

function printTask({ status, artifacts, ...task }: Task): object {
  return {
    kind: 'task',
    ...task,
    status: printStatus(status),
    ...(artifacts && { artifacts: artifacts.map(printArtifact) }),
  };
}

function printStatus({ state, message, ...status }: Status): object {
  return {
    ...status,
    state: state.replace('TASK_STATE_', '').toLowerCase().replace('_', '-'),
    ...(message && { message: printMessage(message) }),
  };
}

function printMessage({ parts, ...message }: Message): object {
  return { kind: 'message', ...message, role: 'agent', parts: parts.map(printPart) };
}

function printArtifact({ parts, ...artifact }: Artifact): object {
  return { ...artifact, parts: parts.map(printPart) };
}

function printPart({ text, data }: Part): object {
  if (text !== undefined) return { kind: 'text', text };
  // Its data is an object.
  return { kind: 'data', data: isJson(data) && !Array.isArray(data) ? data : { value: data } };
}

/** The members of a card that 1.0 has under other names. */
export function cardOf03(url: string): object {
  return { url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' };
}

export const requirementOf03: object = { security: [{ bearer: [] }] };

export function securityOf03(bearer: object): object {
  return { type: 'http', ...bearer };
}
