// The refusals that the Agent2Agent protocol defines (section 5.4 and 9.5 of version 1.0), in its two forms.
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { jsonReply } from '../../../governance/http/answer/reply.ts';

interface ErrorType {
  /** The code of JSON-RPC. */
  code: number;
  /** The status of HTTP. */
  status: number;
  grpc: string;
  message: string;
}

const invalid = { status: 400, grpc: 'INVALID_ARGUMENT' } as const;
const not_now = { status: 400, grpc: 'FAILED_PRECONDITION' } as const;
const errors = {
  PARSE_ERROR: { code: -32700, ...invalid, message: 'The body is not JSON' },
  INVALID_REQUEST: { code: -32600, ...invalid, message: 'The body is not a JSON-RPC 2.0 request' },
  METHOD_NOT_FOUND: { code: -32601, status: 404, grpc: 'NOT_FOUND', message: 'There is no such method' },
  INVALID_PARAMS: { code: -32602, ...invalid, message: 'The parameters are invalid' },
  TASK_NOT_FOUND: { code: -32001, status: 404, grpc: 'NOT_FOUND', message: 'No task of yours has this id' },
  TASK_NOT_CANCELABLE: { code: -32002, ...not_now, message: 'The task has already ended' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { code: -32003, ...not_now, message: 'There are no push notifications' },
  UNSUPPORTED_OPERATION: { code: -32004, ...not_now, message: 'This operation is not supported' },
  CONTENT_TYPE_NOT_SUPPORTED: { code: -32005, ...invalid, message: 'A part is neither text nor data' },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: { code: -32007, ...not_now, message: 'There is no extended card' },
  VERSION_NOT_SUPPORTED: { code: -32009, ...not_now, message: 'This version of A2A is not supported' },
} as const satisfies Record<string, ErrorType>;
type Reason = keyof typeof errors;

export class A2aError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string = errors[reason].message) {
    super(message);
    this.reason = reason;
  }
}

/** As `error` of a JSON-RPC answer. */
export function rpcError({ reason, message }: A2aError): object {
  return { code: errors[reason].code, message, data: [infoOf(reason)] };
}

/** For the REST twins: a problem document, and within it google.rpc.Status. */
export function restError({ reason, message }: A2aError): object {
  const { status, grpc, message: title } = errors[reason];
  const error = { code: status, status: grpc, message, details: [infoOf(reason)] };
  return { type: 'about:blank', title, status, code: reason.toLowerCase(), detail: message, error };
}

export function restRefusal(error: A2aError): Reply {
  return jsonReply(restError(error), errors[error.reason].status, { 'content-type': 'application/problem+json' });
}

function infoOf(reason: Reason): object {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org', metadata: {} };
}
