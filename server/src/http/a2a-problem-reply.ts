// A refusal for clients of the Agent2Agent protocol: the problem document, and within it the error that their SDKs read (google.rpc.Status).
import { type Problem, problemDocument } from '@gantry/contract/problems.ts';
import { problemReply } from './problem-reply.ts';
import type { Reply } from './reply.ts';

const grpc_statuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'FAILED_PRECONDITION',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

export function a2aProblemReply(problem: Problem, request_id: string): Reply {
  const { status: code, detail: message } = problem;
  const status = grpc_statuses[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL');
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: problem.code.toUpperCase(),
    domain: 'gantry',
    metadata: {},
  };
  const error = { code, status, message, details: [info] };
  return {
    ...problemReply(problem, request_id),
    body: JSON.stringify({ ...problemDocument(problem, request_id), error }),
  };
}
