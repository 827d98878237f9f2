// A refusal for clients of Ollama, which show the text in `error`.
import type { Problem } from '@gantry/contract/problems.ts';
import { modelMessage, statusForClient } from './model-problem-reply.ts';
import type { Reply } from '../answer/reply.ts';

export function ollamaProblemReply(problem: Problem, request_id: string): Reply {
  const { code, retry_after_seconds } = problem;
  return {
    status: statusForClient(problem),
    headers: {
      'content-type': 'application/json',
      'x-request-id': request_id,
      ...(retry_after_seconds === undefined ? {} : { 'retry-after': String(retry_after_seconds) }),
    },
    body: JSON.stringify({ error: modelMessage(problem), code, request_id }),
  };
}
