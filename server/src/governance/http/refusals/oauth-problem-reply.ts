// A refusal for clients of OAuth (RFC 6749, section 5.2): a code of the standard, and a sentence of printable ASCII.
import type { Problem, ProblemCode } from '@gantry/contract/problems.ts';
import type { Reply } from '../answer/reply.ts';
import { problemReply } from './problem-reply.ts';

const of_the_standard = new Set<ProblemCode>([
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'invalid_redirect_uri',
  'unsupported_grant_type',
]);

export function oauthProblemReply(problem: Problem, request_id: string): Reply {
  const { headers } = problemReply(problem, request_id);
  const sentence = [problem.detail, problem.hint].filter((part) => part !== undefined && part !== '').join(' ');
  const body = {
    error: errorOf(problem),
    error_description: sentence.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'").slice(0, 500),
  };
  return {
    status: problem.code === 'invalid' ? 400 : problem.status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

function errorOf({ code, status }: Problem): string {
  if (of_the_standard.has(code)) return code;
  if (status >= 500) return status === 503 ? 'temporarily_unavailable' : 'server_error';
  return status === 429 ? 'temporarily_unavailable' : 'invalid_request';
}
