// A refusal for clients of Gemini, in the shape of Google's APIs.
import type { Problem } from '@gantry/contract/problems.ts';
import { googleError } from './google-error.ts';
import { modelMessage, statusForClient } from './model-problem-reply.ts';
import { rateHeaders, type RatesLeft } from '../answer/rate-headers.ts';
import type { Reply } from '../answer/reply.ts';

export function googleProblemReply(problem: Problem, request_id: string): Reply {
  const { code, retry_after_seconds } = problem;
  // Those of rates are numbers per account; the others are text, or the status of a provider.
  const { rates, ...fields } = problem.fields as { rates?: RatesLeft };
  const texts = Object.entries(fields).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const status = statusForClient(problem);
  const metadata = { ...Object.fromEntries(texts), code, request_id };
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-request-id': request_id,
      ...rateHeaders(rates ?? {}),
      ...(retry_after_seconds === undefined ? {} : { 'retry-after': String(retry_after_seconds) }),
    },
    body: JSON.stringify({ error: googleError({ status, code, message: modelMessage(problem), metadata }) }),
  };
}
