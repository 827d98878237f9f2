// A refusal for clients of the Agent2Agent protocol: the problem document, and within it the error that their SDKs read (google.rpc.Status).
import { type Problem, problemDocument } from '@gantry/contract/problems.ts';
import { googleError } from './google-error.ts';
import { problemReply } from './problem-reply.ts';
import type { Reply } from '../answer/reply.ts';

export function a2aProblemReply(problem: Problem, request_id: string): Reply {
  const { status, code, detail: message } = problem;
  return {
    ...problemReply(problem, request_id),
    body: JSON.stringify({ ...problemDocument(problem, request_id), error: googleError({ status, code, message }) }),
  };
}
